"""Generated from openapi.json by clients/generate.sh."""
