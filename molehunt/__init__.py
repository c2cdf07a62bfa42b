"""molehunt: how well do LLM monitors catch AI agents that sabotage their work, and at what cost?"""
