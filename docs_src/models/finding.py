from hermes.app.models import find_models
from hermes.config.load import load

environment = {"GROQ_API_KEY": "…", "ANTHROPIC_API_KEY": "…"}
for found in find_models(load(environ={}), environment):
    if found.source in environment:  # servers on this machine come after these
        print(found.name, "by", found.source)
