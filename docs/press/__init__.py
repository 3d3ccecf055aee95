"""What makes pages: notebooks that are run, Markdown, the gallery of figures, and the API."""
