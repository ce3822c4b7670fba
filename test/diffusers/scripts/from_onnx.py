"""Rebuilds the torch modules of the exported graphs, with the weights of the graphs."""

import json
from pathlib import Path

import numpy
import onnx
import torch
from onnx import numpy_helper

HERE = Path(__file__).parent.parent


def rounded(tensor):
    return {"shape": list(tensor.shape), "data": [round(float(number), 6) for number in tensor.detach().flatten()]}


def numbers_of(answer):
    return torch.tensor(answer["data"]).reshape(answer["shape"])


def expected(name):
    return json.loads((HERE / "expected.json").read_text())[name]


def with_weights_of(module, name):
    """Loads the weights of a graph into the module. Exporters name a weight after its module.

    When they transpose a weight or split a norm, only the name of the node refers to the module.
    """
    graph = onnx.load(HERE / name / "model.onnx").graph
    constants = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    for node in graph.node:
        if node.op_type == "Identity" and node.input[0] in constants:
            constants[node.output[0]] = constants[node.input[0]]
    state = module.state_dict()
    left = {key for key in state}

    def put(key, array):
        if key in left:
            state[key] = torch.from_numpy(numpy.array(array, order="C")).reshape(state[key].shape)
            left.discard(key)

    for key in list(left):
        if key in constants:
            put(key, constants[key])
    for node in graph.node:
        path = ".".join(node.name.split("/")[1:-1])
        for source in node.input:
            if source not in constants or source in state:
                continue
            if node.op_type == "MatMul":
                put(f"{path}.weight", constants[source].T)
            elif node.op_type == "Mul":
                put(f"{path}.weight", constants[source])
            elif node.op_type == "Add":
                put(f"{path}.bias", constants[source])
    # Position embeddings are computed, and not in the graph.
    assert left <= {"pos_embed.pos_embed"}, left
    module.load_state_dict(state)
    return module.eval()


def unet():
    from diffusers import UNet2DConditionModel

    return with_weights_of(UNet2DConditionModel(
        sample_size=8, in_channels=4, out_channels=4, block_out_channels=(4, 8), layers_per_block=1, cross_attention_dim=6,
        attention_head_dim=2, norm_num_groups=2, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    ), "unet")


def sd3():
    from diffusers import SD3Transformer2DModel

    return with_weights_of(SD3Transformer2DModel(
        sample_size=8, patch_size=2, in_channels=16, out_channels=16, num_layers=2, attention_head_dim=4,
        num_attention_heads=2, joint_attention_dim=6, caption_projection_dim=8, pooled_projection_dim=5, pos_embed_max_size=8,
    ), "sd3")


def flux():
    from diffusers import FluxTransformer2DModel

    return with_weights_of(FluxTransformer2DModel(
        patch_size=1, in_channels=64, num_layers=1, num_single_layers=1, attention_head_dim=8, num_attention_heads=1,
        joint_attention_dim=6, pooled_projection_dim=5, guidance_embeds=True, axes_dims_rope=(2, 2, 4),
    ), "flux")


if __name__ == "__main__":
    answer = expected("unet")
    with torch.no_grad():
        computed = unet()(numbers_of(answer["x"]), torch.tensor([answer["timestep"]]), numbers_of(answer["text"])).sample
    print("off by", float((computed - numbers_of(answer["plain"])).abs().max()))
