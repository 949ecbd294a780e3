"""From a dataset to an adapter that llama.cpp reads: LoRA and QLoRA, checkpoints, export."""
