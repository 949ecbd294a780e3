"""The page of the models: what answers and how fast, fine-tunes begun and watched, adapters held against each other and
promoted, model files tried."""
