"""The web app: its pages and the gate in front of them. The only room, with app.py, that knows Gradio and FastAPI."""
