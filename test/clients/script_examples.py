"""Three requests as scripts with ComfyUI's first examples send them. Prints one JSON object.

`queue`: submits and leaves. `history`: follows a socket, then fetches the images. `socket`: receives the images over it.
"""

import io
import json
import sys
import time
import urllib.parse
import urllib.request
import uuid

import websocket
from PIL import Image

server, graph = sys.argv[1], json.loads(sys.argv[2])
address = f"http://{server}"
client_id = str(uuid.uuid4())


def get(path, **query):
    with urllib.request.urlopen(f"{address}{path}?{urllib.parse.urlencode(query)}") as answer:
        return answer.read()


def submit(path="/prompt", **more):
    body = json.dumps({"prompt": graph, **more}).encode("utf-8")
    return urllib.request.urlopen(urllib.request.Request(address + path, data=body)).read()


def messages_until_end(ws, prompt_id):
    node = ""
    while True:
        message = ws.recv()
        if not isinstance(message, str):
            yield node, message
            continue
        message = json.loads(message)
        if message["type"] == "executing" and message["data"]["prompt_id"] == prompt_id:
            node = message["data"]["node"]
            if node is None:
                return


def describe(data):
    image = Image.open(io.BytesIO(data))
    image.load()
    return {"format": image.format, "size": image.size, "colors": len(image.getcolors(2**24))}


def queue_only():
    submit()
    while not (history := json.loads(get("/history"))):
        time.sleep(0.2)
    return [entry["status"]["status_str"] for entry in history.values()]


def from_history(ws):
    prompt_id = json.loads(submit(client_id=client_id))["prompt_id"]
    for _ in messages_until_end(ws, prompt_id):
        pass
    outputs = json.loads(get(f"/history/{prompt_id}"))[prompt_id]["outputs"]
    images = [image for output in outputs.values() for image in output.get("images", [])]
    return [describe(get("/view", **image)) for image in images]


def over_socket(ws):
    graph["save_image_websocket_node"] = {"class_type": "SaveImageWebsocket", "inputs": {"images": ["8", 0]}}
    del graph["9"]
    prompt_id = json.loads(submit("/api/prompt", client_id=client_id))["prompt_id"]
    received = [data[8:] for node, data in messages_until_end(ws, prompt_id) if node == "save_image_websocket_node"]
    return [describe(data) for data in received]


queued = queue_only()
ws = websocket.WebSocket()
ws.connect(f"ws://{server}/ws?clientId={client_id}")
print(json.dumps({"queue": queued, "history": from_history(ws), "socket": over_socket(ws)}))
ws.close()
