"""The web app: its pages and the gate in front of them. The only room that knows Gradio and FastAPI."""
