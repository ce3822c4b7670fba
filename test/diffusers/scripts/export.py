"""Exports tiny models of each layout with random weights to ONNX, and writes the answers of diffusers and transformers.

    python export.py                # writes the folders and expected.json to the parent folder

Needs torch, diffusers, transformers, onnx and safetensors (written with 2.15, 0.42, 5.23, 1.23 and 0.8). `diffusers-layout.weights.test.ts`
runs the graphs and compares the numbers.
"""

import json
from pathlib import Path

import torch
from diffusers import AutoencoderKL, ControlNetModel, FluxPipeline, FluxTransformer2DModel, LatentConsistencyModelPipeline, SD3Transformer2DModel, UNet2DConditionModel
from safetensors.torch import save_file
from torch import nn
from transformers import CLIPTextConfig, CLIPTextModel

HERE = Path(__file__).parent.parent
STRENGTH = 0.8
RANK = 1
HEIGHT_WIDTH = {0: "batch", 2: "height", 3: "width"}
TOKENS = {0: "batch", 1: "tokens"}


def manual_rms_norm(values, _shape, weight=None, eps=None):
    """Root mean square norm in operators that the exporter supports."""
    normed = values * torch.rsqrt(values.pow(2).mean(-1, keepdim=True) + (eps or 1e-6))
    return normed if weight is None else normed * weight


nn.RMSNorm.forward = lambda self, values: manual_rms_norm(values, None, self.weight, self.eps)
torch.nn.functional.rms_norm = torch.rms_norm = manual_rms_norm


def rounded(tensor):
    return {"shape": list(tensor.shape), "data": [round(float(number), 6) for number in tensor.detach().flatten()]}


def as_stored(*shape):
    """Random numbers with as many digits as expected.json has."""
    return (torch.randn(*shape) * 1e4).round() / 1e4


def export(name, module, forward, args, inputs, outputs, axes):
    """Replaces the module's forward, because a wrapper would change the names of the nodes."""
    (HERE / name).mkdir(exist_ok=True)
    original = module.forward
    module.forward = forward
    with torch.no_grad():
        torch.onnx.export(
            module, tuple(args), HERE / name / "model.onnx", input_names=inputs, output_names=outputs,
            dynamic_axes=axes, opset_version=17, dynamo=False,
        )
    module.forward = original


def config(name, module, *keys):
    values = {key: module.config[key] for key in keys}
    (HERE / name / "config.json").write_text(json.dumps(values) + "\n")


def adapted(module, kinds, file, key):
    """Adds a random adapter to every module of these kinds, and writes the adapters to a file."""
    tensors = {}
    for name, part in module.named_modules():
        if not isinstance(part, kinds):
            continue
        weight = part.weight
        down = as_stored(RANK, *weight.shape[1:]) * 0.3
        up = as_stored(weight.shape[0], RANK, *([1, 1] if weight.dim() == 4 else [])) * 0.3
        tensors |= key(name, up, down)
        with torch.no_grad():
            weight += (STRENGTH / RANK * up.flatten(1) @ down.flatten(1)).reshape(weight.shape)
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, HERE / file)


def kohya(prefix):
    def names(name, up, down):
        start = prefix + name.replace(".", "_")
        return {f"{start}.lora_up.weight": up, f"{start}.lora_down.weight": down, f"{start}.alpha": torch.tensor(float(RANK))}
    return names


def peft(name, up, down):
    return {f"transformer.{name}.lora_B.weight": up, f"transformer.{name}.lora_A.weight": down}


def stirred(module, amount):
    """Adds noise to all parameters: those that start at zero would hide errors."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(torch.randn_like(parameter) * amount)
    return module.eval()


def unet_and_control_net():
    shared = dict(
        in_channels=4, block_out_channels=(4, 8), layers_per_block=1, cross_attention_dim=6, attention_head_dim=2,
        norm_num_groups=2, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
    )
    unet = UNet2DConditionModel(sample_size=8, out_channels=4, up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), **shared).eval()
    control = stirred(ControlNetModel(conditioning_embedding_out_channels=(2, 2, 4, 4), **shared), 0.05)
    sample, timestep, text = as_stored(1, 4, 6, 4), torch.tensor([321]), as_stored(1, 5, 6)
    image = (torch.rand(1, 3, 48, 32) * 100).round() / 100
    with torch.no_grad():
        down, middle = control(sample, timestep, text, image, 1.0, return_dict=False)
        answer = {
            "x": rounded(sample), "text": rounded(text), "timestep": 321, "image": rounded(image.permute(0, 2, 3, 1)),
            "plain": rounded(unet(sample, timestep, text).sample),
            "controlled": rounded(unet(
                sample, timestep, text, down_block_additional_residuals=[0.7 * one for one in down],
                mid_block_additional_residual=0.7 * middle,
            ).sample),
        }
    names = [f"down_block_{index}" for index in range(len(down))]
    unet_forward, control_forward = unet.forward, control.forward

    def with_residuals(sample, timestep, encoder_hidden_states, *residuals):
        return unet_forward(
            sample, timestep, encoder_hidden_states, down_block_additional_residuals=residuals[:-1],
            mid_block_additional_residual=residuals[-1], return_dict=False,
        )[0]

    def residuals_of(sample, timestep, encoder_hidden_states, controlnet_cond, conditioning_scale):
        down, middle = control_forward(
            sample, timestep, encoder_hidden_states, controlnet_cond, conditioning_scale, return_dict=False,
        )
        return (*down, middle)

    common = ["sample", "timestep", "encoder_hidden_states"]
    # Runtimes treat dimensions of the same name as equal, and share memory accordingly.
    inner = {name: {0: "batch", 2: f"{name}_height", 3: f"{name}_width"} for name in [*names, "mid_block_additional_residual"]}
    axes = {"sample": HEIGHT_WIDTH, "encoder_hidden_states": TOKENS}
    zeros = [torch.zeros_like(one) for one in (*down, middle)]
    export("unet", unet, with_residuals, [sample, timestep, text, *zeros], common + list(inner), ["out_sample"],
           axes | inner | {"out_sample": HEIGHT_WIDTH})
    config("unet", unet, "in_channels", "block_out_channels", "layers_per_block")
    export("controlnet", control, residuals_of, [sample, timestep, text, image, torch.tensor(1.0)],
           [*common, "controlnet_cond", "conditioning_scale"], [*names, "mid_block"],
           axes | {name: HEIGHT_WIDTH for name in ["controlnet_cond", *names, "mid_block"]})
    adapted(unet, (nn.Linear, nn.Conv2d), "unet.safetensors", kohya("lora_unet_"))
    with torch.no_grad():
        answer["adapted"] = rounded(unet(sample, timestep, text).sample)
    return answer


def text_encoder():
    clip = stirred(CLIPTextModel(CLIPTextConfig(
        vocab_size=10, hidden_size=8, intermediate_size=16, num_hidden_layers=3, num_attention_heads=2,
        max_position_embeddings=12, hidden_act="quick_gelu", bos_token_id=5, eos_token_id=6, pad_token_id=6,
    )), 0.1)
    parts = dict(clip.named_modules())
    norm = next(part for name, part in parts.items() if name.endswith("final_layer_norm"))
    table = next(part for name, part in parts.items() if name.endswith("token_embedding"))
    tokens = torch.tensor([[5, 1, 2] + [6] * 9])
    with torch.no_grad():
        said = clip(tokens, output_hidden_states=True)
        answer = {
            "tokens": tokens[0].tolist(), "last": rounded(said.last_hidden_state), "pooled": rounded(said.pooler_output),
            "second": rounded(norm(said.hidden_states[-2])), "third": rounded(norm(said.hidden_states[-3])),
        }
    forward = clip.forward

    def both(input_ids):
        said = forward(input_ids)
        return said.last_hidden_state, said.pooler_output

    export("text_encoder", clip, both, [tokens], ["input_ids"], ["last_hidden_state", "pooler_output"],
           {"input_ids": TOKENS, "last_hidden_state": TOKENS, "pooler_output": {0: "batch"}})
    learned = as_stored(2, 8)
    save_file({"emb_params": learned}, HERE / "style.safetensors")
    with torch.no_grad():
        kept = table.weight.clone()
        table.weight[7:9] = learned
        said = clip(torch.tensor([[5, 1, 7, 8, 2] + [6] * 7]))
        answer["learned"] = {"last": rounded(said.last_hidden_state), "pooled": rounded(said.pooler_output)}
        table.weight.copy_(kept)
    adapted(clip, nn.Linear, "text_encoder.safetensors", kohya("lora_te_text_model_"))
    with torch.no_grad():
        answer["adapted"] = rounded(clip(tokens).last_hidden_state)
    return answer


def stable_diffusion_3():
    model = stirred(SD3Transformer2DModel(
        sample_size=8, patch_size=2, in_channels=16, out_channels=16, num_layers=2, attention_head_dim=4,
        num_attention_heads=2, joint_attention_dim=6, caption_projection_dim=8, pooled_projection_dim=5, pos_embed_max_size=8,
    ), 0.05)
    latent, text, pooled = as_stored(2, 16, 4, 6), as_stored(1, 5, 6), as_stored(1, 5)
    args = (latent, text.repeat(2, 1, 1), pooled.repeat(2, 1), torch.tensor([400.0, 400.0]))
    names = ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep"]
    with torch.no_grad():
        answer = {"x": rounded(latent), "text": rounded(text), "pooled": rounded(pooled), "timestep": 400, "plain": rounded(model(*args).sample)}
    forward = model.forward
    export("sd3", model, lambda *args: forward(*args, return_dict=False)[0], args, names, ["out_hidden_states"],
           {"hidden_states": HEIGHT_WIDTH, "encoder_hidden_states": TOKENS, "pooled_projections": {0: "batch"},
            "timestep": {0: "batch"}, "out_hidden_states": HEIGHT_WIDTH})
    config("sd3", model, "in_channels", "joint_attention_dim")
    adapted(model.transformer_blocks, nn.Linear, "sd3.safetensors", lambda name, *rest: peft(f"transformer_blocks.{name}", *rest))
    with torch.no_grad():
        answer["adapted"] = rounded(model(*args).sample)
    return answer


def flux():
    model = FluxTransformer2DModel(
        patch_size=1, in_channels=64, num_layers=1, num_single_layers=1, attention_head_dim=8, num_attention_heads=1,
        joint_attention_dim=6, pooled_projection_dim=5, guidance_embeds=True, axes_dims_rope=(2, 2, 4),
    ).eval()
    latent, text, pooled = as_stored(1, 16, 4, 6), as_stored(1, 5, 6), as_stored(1, 5)
    args = (
        FluxPipeline._pack_latents(latent, 1, 16, 4, 6), text, pooled, torch.tensor([0.4]),
        FluxPipeline._prepare_latent_image_ids(1, 2, 3, "cpu", torch.float32), torch.zeros(5, 3), torch.tensor([3.5]),
    )
    names = ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep", "img_ids", "txt_ids", "guidance"]
    with torch.no_grad():
        said = FluxPipeline._unpack_latents(model(*args).sample, 32, 48, 8)
    forward = model.forward
    cells = {0: "batch", 1: "cells"}
    export("flux", model, lambda *args: forward(*args, return_dict=False)[0], args, names, ["out_hidden_states"],
           {"hidden_states": cells, "encoder_hidden_states": TOKENS, "pooled_projections": {0: "batch"}, "timestep": {0: "batch"},
            "img_ids": {0: "cells"}, "txt_ids": {0: "tokens"}, "guidance": {0: "batch"}, "out_hidden_states": cells})
    config("flux", model, "in_channels")
    return {"x": rounded(latent), "text": rounded(text), "pooled": rounded(pooled), "timestep": 0.4, "plain": rounded(said)}


def sdxl():
    """A UNet with a pooled prompt embedding, image sizes and, as in consistency models, the guidance as inputs."""
    model = UNet2DConditionModel(
        sample_size=8, in_channels=4, out_channels=4, block_out_channels=(4, 8), layers_per_block=1, cross_attention_dim=6,
        attention_head_dim=2, norm_num_groups=2, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), addition_embed_type="text_time", addition_time_embed_dim=4,
        projection_class_embeddings_input_dim=6 * 4 + 5, time_cond_proj_dim=8,
    ).eval()
    sample, timestep, text, pooled = as_stored(1, 4, 4, 6), torch.tensor([321]), as_stored(1, 5, 6), as_stored(1, 5)
    sizes = torch.tensor([[32.0, 48.0, 1.0, 2.0, 64.0, 96.0]])
    guidance = LatentConsistencyModelPipeline.get_guidance_scale_embedding(None, torch.tensor([6.5]), embedding_dim=8)
    forward = model.forward

    def answer(sample, timestep, encoder_hidden_states, text_embeds, time_ids, timestep_cond):
        conditions = {"text_embeds": text_embeds, "time_ids": time_ids}
        return forward(sample, timestep, encoder_hidden_states, timestep_cond=timestep_cond, added_cond_kwargs=conditions, return_dict=False)[0]

    args = (sample, timestep, text, pooled, sizes, guidance)
    with torch.no_grad():
        said = rounded(answer(*args))
    names = ["sample", "timestep", "encoder_hidden_states", "text_embeds", "time_ids", "timestep_cond"]
    batch = {name: {0: "batch"} for name in names[3:]}
    export("sdxl", model, answer, args, names, ["out_sample"],
           {"sample": HEIGHT_WIDTH, "encoder_hidden_states": TOKENS, "out_sample": HEIGHT_WIDTH} | batch)
    config("sdxl", model, "in_channels", "block_out_channels", "layers_per_block")
    return {"x": rounded(sample), "text": rounded(text), "pooled": rounded(pooled), "timestep": 321, "plain": said}


def autoencoder():
    model = AutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2, block_out_channels=(4, 8),
        latent_channels=4, norm_num_groups=2, sample_size=8,
    ).eval()
    pixels, latent = (torch.rand(1, 3, 8, 12) * 100).round() / 100, as_stored(1, 4, 4, 6)
    with torch.no_grad():
        answer = {
            "pixels": rounded(pixels.permute(0, 2, 3, 1)), "mean": rounded(model.encode(pixels * 2 - 1).latent_dist.mean),
            "latent": rounded(latent), "decoded": rounded((model.decode(latent).sample / 2 + 0.5).clamp(0, 1).permute(0, 2, 3, 1)),
        }
    (HERE / "vae").mkdir(exist_ok=True)
    export("vae/vae_encoder", model, lambda sample: model.encode(sample).latent_dist.parameters, [pixels], ["sample"],
           ["latent_parameters"], {"sample": HEIGHT_WIDTH, "latent_parameters": HEIGHT_WIDTH})
    export("vae/vae_decoder", model, lambda latent: model.decode(latent, return_dict=False)[0], [latent], ["latent_sample"],
           ["sample"], {"latent_sample": HEIGHT_WIDTH, "sample": HEIGHT_WIDTH})
    config("vae/vae_decoder", model, "latent_channels", "block_out_channels", "scaling_factor")
    return answer


if __name__ == "__main__":
    torch.manual_seed(0)
    answers = {"strength": STRENGTH, "unet": unet_and_control_net(), "clip": text_encoder(), "sd3": stable_diffusion_3(), "flux": flux(), "sdxl": sdxl(), "vae": autoencoder()}
    (HERE / "expected.json").write_text(json.dumps(answers) + "\n")
