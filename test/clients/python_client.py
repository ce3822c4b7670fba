"""Calls a server with the Python client of Ollama, and prints the results as a JSON object."""

import json
import sys

import ollama

host, model, embedder = sys.argv[1:]
client = ollama.Client(host=host)
question = [{"role": "user", "content": "What is the capital of France?"}]
greedy = {"temperature": 0, "seed": 1, "num_predict": 16}
schema = {"type": "object", "properties": {"city": {"enum": ["Paris"]}}, "required": ["city"]}


def error(call):
    try:
        call()
    except ollama.ResponseError as problem:
        return [problem.status_code, problem.error]


print(
    json.dumps(
        {
            "models": sorted(entry.model for entry in client.list().models),
            "capabilities": client.show(model).capabilities,
            "chat": client.chat(model, question, options=greedy).message.content,
            "streamed": [
                part.message.content for part in client.chat(model, question, options=greedy, stream=True)
            ],
            "structured": json.loads(
                client.chat(model, question, options={**greedy, "num_predict": 40}, format=schema).message.content
            ),
            "generated": client.generate(model, question[0]["content"], options=greedy).response,
            "lengths": [len(vector) for vector in client.embed(embedder, ["a cat", "a dog"]).embeddings],
            "running": sorted(entry.model for entry in client.ps().models),
            "missing": error(lambda: client.chat("nope", question)),
        }
    )
)
