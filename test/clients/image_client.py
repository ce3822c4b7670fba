"""Uses a ComfyUI server as scripts usually do: with urllib and websocket-client. Prints one JSON object."""

import json
import sys
import urllib.parse
import urllib.request
import uuid

import websocket

server, graph = sys.argv[1], json.loads(sys.argv[2])
client_id = str(uuid.uuid4())


def open_url(path, **query):
    address = f"http://{server}{path}"
    return urllib.request.urlopen(f"{address}?{urllib.parse.urlencode(query)}" if query else address).read()


def post(path, body):
    # The only content type is that of a form, which urllib adds.
    request = urllib.request.Request(f"http://{server}{path}", data=json.dumps(body).encode())
    return urllib.request.urlopen(request).read()


def submit(prompt, client=client_id):
    return json.loads(post("/prompt", {"prompt": prompt, "client_id": client}))["prompt_id"]


def follow(ws, prompt_id, on_binary=lambda node, data: None):
    nodes = []
    while True:
        message = ws.recv()
        if not isinstance(message, str):
            on_binary(nodes[-1], message)
            continue
        message = json.loads(message)
        if message["type"] != "executing" or message["data"].get("prompt_id") != prompt_id:
            continue
        if message["data"]["node"] is None:
            return nodes
        nodes.append(message["data"]["node"])


ws = websocket.WebSocket()
ws.connect(f"ws://{server}/ws?clientId={client_id}")

drawn = submit(graph)
nodes = follow(ws, drawn)
outputs = json.loads(open_url(f"/history/{drawn}"))[drawn]["outputs"]
images = [
    open_url("/view", filename=image["filename"], subfolder=image["subfolder"], type=image["type"])
    for output in outputs.values()
    for image in output.get("images", [])
]

# Another prompt that sends its images over the socket.
over_socket = {**graph, "9": {"class_type": "SaveImageWebsocket", "inputs": {"images": ["8", 0]}}}
sent = []
follow(ws, submit(over_socket), lambda node, data: sent.append([node, data[8:].hex()]))

# A long prompt is interrupted while it runs; a waiting prompt is taken out of the queue.
long = json.loads(json.dumps(graph))
long["3"]["inputs"]["steps"] = 5000
running = submit(long)
waiting = submit(graph)
while json.loads(ws.recv())["type"] != "progress":
    pass
post("/queue", {"delete": [waiting]})
urllib.request.urlopen(urllib.request.Request(f"http://{server}/interrupt", data=b"", method="POST")).read()
follow(ws, running)
interrupted = json.loads(open_url(f"/history/{running}"))[running]["status"]
ws.close()

print(
    json.dumps(
        {
            "nodes": sorted(nodes),
            "images": [image.hex() for image in images],
            "sent": sent,
            "interrupted": [interrupted["status_str"], [name for name, _ in interrupted["messages"]]],
            "waiting": json.loads(open_url(f"/history/{waiting}")),
        }
    )
)
