"""Samples the flow models of export.py with diffusers' own schedulers: seed, steps and prompt in, latents out.

    python sampled.py               # writes sampled.json to the parent folder

Needs torch, diffusers, numpy and onnxruntime (written with 2.15, 0.42, 2.4 and 1.31). The networks are the graphs of `export.py`.
"""

import json
from pathlib import Path

import numpy
import torch
from diffusers import FlowMatchEulerDiscreteScheduler, FluxPipeline
from onnxruntime import InferenceSession

HERE = Path(__file__).parent.parent
EXPECTED = json.loads((HERE / "expected.json").read_text())
SEED = 7
SHAPE = (1, 16, 4, 6)


def tensor(numbers):
    return torch.tensor(numbers["data"]).reshape(numbers["shape"])


def rounded(values):
    return {"shape": list(values.shape), "data": [round(float(number), 6) for number in values.flatten()]}


def network(name):
    session = InferenceSession(HERE / name / "model.onnx")

    def run(**inputs):
        feeds = {key: numpy.asarray(value, dtype=numpy.float32) for key, value in inputs.items()}
        return torch.from_numpy(session.run(None, feeds)[0])

    return run


def noise():
    return torch.randn(SHAPE, generator=torch.Generator("cpu").manual_seed(SEED))


def stable_diffusion_3(steps=6, cfg=4.0):
    scheduler = FlowMatchEulerDiscreteScheduler(shift=3.0)
    scheduler.set_timesteps(steps)
    run = network("sd3")
    prompts = (tensor(EXPECTED["sd3"]["text"]), tensor(EXPECTED["sd3"]["pooled"]))
    latents = noise()
    for timestep in scheduler.timesteps:
        cond, uncond = (
            run(hidden_states=latents, encoder_hidden_states=prompts[0] * share, pooled_projections=prompts[1] * share, timestep=timestep[None])
            for share in (1, 0)
        )
        latents = scheduler.step(uncond + cfg * (cond - uncond), timestep, latents, return_dict=False)[0]
    return {"seed": SEED, "steps": steps, "cfg": cfg, "sigmas": rounded(scheduler.sigmas), "latents": rounded(latents / 1.5305 + 0.0609)}


def flux(steps=5, guidance=3.5):
    scheduler = FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True, base_shift=0.5, max_shift=1.15)
    scheduler.set_timesteps(sigmas=numpy.linspace(1.0, 1 / steps, steps), mu=1.15)
    run = network("flux")
    latents = FluxPipeline._pack_latents(noise(), *SHAPE)
    positions = FluxPipeline._prepare_latent_image_ids(1, SHAPE[2] // 2, SHAPE[3] // 2, "cpu", torch.float32)
    text = tensor(EXPECTED["flux"]["text"])
    for timestep in scheduler.timesteps:
        velocity = run(
            hidden_states=latents, encoder_hidden_states=text, pooled_projections=tensor(EXPECTED["flux"]["pooled"]),
            timestep=timestep[None] / 1000, img_ids=positions, txt_ids=torch.zeros(text.shape[1], 3), guidance=[guidance],
        )
        latents = scheduler.step(velocity, timestep, latents, return_dict=False)[0]
    latents = FluxPipeline._unpack_latents(latents, SHAPE[2] * 8, SHAPE[3] * 8, 8)
    return {"seed": SEED, "steps": steps, "guidance": guidance, "sigmas": rounded(scheduler.sigmas), "latents": rounded(latents / 0.3611 + 0.1159)}


if __name__ == "__main__":
    (HERE / "sampled.json").write_text(json.dumps({"sd3": stable_diffusion_3(), "flux": flux()}) + "\n")
