"""Exports tiny control nets and their transformers to ONNX, and writes the answers of diffusers.

    python transformer_control.py   # writes its folders and transformer_control.json to the parent folder

Needs the packages of export.py. `transformer-control-net.weights.test.ts` runs the graphs and compares the numbers.
"""

import json

import torch
from diffusers import FluxControlNetModel, FluxPipeline, FluxTransformer2DModel, SD3ControlNetModel, SD3Transformer2DModel

from export import HERE, as_stored, config, export, rounded, stirred

BATCH = {0: "batch"}
STRENGTH = 0.7


def stable_diffusion_3():
    """Exports an inpainting net: its input has a channel for the mask besides those of a latent."""
    shared = dict(
        sample_size=8, patch_size=2, in_channels=16, attention_head_dim=4, num_attention_heads=2, joint_attention_dim=6,
        caption_projection_dim=8, pooled_projection_dim=5, out_channels=16, pos_embed_max_size=8,
    )
    model = stirred(SD3Transformer2DModel(num_layers=2, **shared), 0.05)
    net = stirred(SD3ControlNetModel(num_layers=1, extra_conditioning_channels=1, **shared), 0.05)
    latent, text, pooled, seen = as_stored(1, 16, 4, 6), as_stored(1, 5, 6), as_stored(1, 5), as_stored(1, 17, 4, 6)
    args = (latent, text, pooled, torch.tensor([400.0]))
    net_forward, forward = net.forward, model.forward

    def residuals(hidden_states, encoder_hidden_states, pooled_projections, timestep, controlnet_cond, conditioning_scale):
        return net_forward(
            hidden_states, controlnet_cond, conditioning_scale, encoder_hidden_states, pooled_projections, timestep, return_dict=False,
        )[0]

    def answer(hidden_states, encoder_hidden_states, pooled_projections, timestep, *samples):
        return forward(hidden_states, encoder_hidden_states, pooled_projections, timestep, list(samples), return_dict=False)[0]

    with torch.no_grad():
        added = residuals(*args, seen, torch.tensor(1.0))
        numbers = {
            "x": rounded(latent), "text": rounded(text), "pooled": rounded(pooled), "timestep": 400, "seen": rounded(seen),
            "plain": rounded(model(*args).sample), "told": rounded(answer(*args, *(STRENGTH * one for one in added))),
        }
    names = ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep"]
    inner = [f"controlnet_block_samples_{index}" for index in range(len(added))]
    axes = {name: BATCH for name in names}
    export("sd3_control", net, residuals, [*args, seen, torch.tensor(1.0)], [*names, "controlnet_cond", "conditioning_scale"], inner,
           axes | {name: BATCH for name in ["controlnet_cond", *inner]})
    export("sd3_controlled", model, answer, [*args, *added], [*names, *inner], ["out_hidden_states"],
           axes | {name: BATCH for name in [*inner, "out_hidden_states"]})
    config("sd3_controlled", model, "in_channels", "joint_attention_dim")
    return numbers


def flux():
    shared = dict(
        patch_size=1, in_channels=64, num_layers=1, num_single_layers=1, attention_head_dim=8, num_attention_heads=1,
        joint_attention_dim=6, pooled_projection_dim=5, axes_dims_rope=(2, 2, 4),
    )
    model, net = FluxTransformer2DModel(**shared).eval(), stirred(FluxControlNetModel(**shared), 0.05)
    latent, text, pooled, seen = as_stored(1, 16, 4, 6), as_stored(1, 5, 6), as_stored(1, 5), as_stored(1, 16, 4, 6)
    tokens, image = (FluxPipeline._pack_latents(one, 1, 16, 4, 6) for one in (latent, seen))
    ids = FluxPipeline._prepare_latent_image_ids(1, 2, 3, "cpu", torch.float32)
    args = (tokens, text, pooled, torch.tensor([0.4]), ids, torch.zeros(5, 3))
    net_forward, forward = net.forward, model.forward

    def residuals(hidden_states, encoder_hidden_states, pooled_projections, timestep, img_ids, txt_ids, controlnet_cond, conditioning_scale):
        two, one = net_forward(
            hidden_states, controlnet_cond, None, conditioning_scale, encoder_hidden_states, pooled_projections, timestep, img_ids, txt_ids,
            return_dict=False,
        )
        return (*two, *one)

    def answer(hidden_states, encoder_hidden_states, pooled_projections, timestep, img_ids, txt_ids, two, one):
        return forward(
            hidden_states, encoder_hidden_states, pooled_projections, timestep, img_ids, txt_ids,
            controlnet_block_samples=[two], controlnet_single_block_samples=[one], return_dict=False,
        )[0]

    with torch.no_grad():
        added = residuals(*args, image, torch.tensor(1.0))
        unpacked = lambda said: rounded(FluxPipeline._unpack_latents(said, 32, 48, 8))
        numbers = {
            "x": rounded(latent), "text": rounded(text), "pooled": rounded(pooled), "timestep": 0.4, "seen": rounded(seen),
            "plain": unpacked(model(*args).sample), "told": unpacked(answer(*args, *(STRENGTH * one for one in added))),
        }
    names = ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep", "img_ids", "txt_ids"]
    inner = ["controlnet_block_samples_0", "controlnet_single_block_samples_0"]
    export("flux_control", net, residuals, [*args, image, torch.tensor(1.0)], [*names, "controlnet_cond", "conditioning_scale"], inner, {})
    export("flux_controlled", model, answer, [*args, *added], [*names, *inner], ["out_hidden_states"], {})
    config("flux_controlled", model, "in_channels")
    return numbers


if __name__ == "__main__":
    torch.manual_seed(0)
    answers = {"strength": STRENGTH, "sd3": stable_diffusion_3(), "flux": flux()}
    (HERE / "transformer_control.json").write_text(json.dumps(answers) + "\n")
