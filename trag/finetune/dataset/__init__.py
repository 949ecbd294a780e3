"""What a model learns from: prompts as the product sends them with their right answers, of a home or of the project."""
