"""Exports tiny vision encoders and the models that use their output to ONNX, and writes the answers of diffusers and transformers.

    python vision.py                # writes its folders and vision.json to the parent folder

Needs the packages of export.py. `vision.weights.test.ts` runs the graphs and compares the numbers.
"""

import json
from types import SimpleNamespace

import torch
from diffusers import DDPMScheduler, FluxPipeline, FluxTransformer2DModel, StableUnCLIPImg2ImgPipeline, UNet2DConditionModel
from diffusers.pipelines.flux.modeling_flux import ReduxImageEncoder
from diffusers.pipelines.stable_diffusion.stable_unclip_image_normalizer import StableUnCLIPImageNormalizer
from safetensors.torch import save_file
from torch import nn
from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection, SiglipVisionConfig, SiglipVisionModel

from export import HEIGHT_WIDTH, HERE, TOKENS, as_stored, config, export, rounded, stirred

SIZE = 16
BATCH = {0: "batch"}
UNETS = {}


def write(name, values):
    (HERE / name).write_text(json.dumps(values) + "\n")


def prepared(image, mean, std, crop):
    """[1, h, w, 3] -> [1, 3, SIZE, SIZE]: the shorter side, or both, resized to SIZE, cropped, rounded to integers of 0 to 255, normalised."""
    planes = image.movedim(-1, 1)
    height, width = planes.shape[2:]
    scale = SIZE / min(height, width)
    size = (round(scale * height), round(scale * width)) if crop else (SIZE, SIZE)
    planes = torch.nn.functional.interpolate(planes, size=size, mode="bicubic", antialias=True)
    top, left = (planes.shape[2] - SIZE) // 2, (planes.shape[3] - SIZE) // 2
    planes = planes[:, :, top:top + SIZE, left:left + SIZE]
    planes = (255 * planes).clip(0, 255).round() / 255
    return (planes - torch.tensor(mean).view(3, 1, 1)) / torch.tensor(std).view(3, 1, 1)


def encoder(name, model, image, mean, std, outputs, axes):
    """Exports the model, and returns its answers for an image, cropped and squeezed."""
    answer = {}
    for crop in ("center", "none"):
        pixels = prepared(image, mean, std, crop == "center")
        with torch.no_grad():
            said = model(pixels, output_hidden_states=True)
        answer[crop] = {
            "last": rounded(said.last_hidden_state), "penultimate": rounded(said.hidden_states[-2]),
        } | ({"embeds": rounded(said.image_embeds), "pixels": rounded(pixels)} if "image_embeds" in outputs else {})
    forward = model.forward

    def few(pixel_values):
        said = forward(pixel_values)
        return tuple(getattr(said, output) for output in outputs)

    export(name, model, few, [pixels], ["pixel_values"], outputs, {"pixel_values": BATCH} | axes)
    shared = dict(hidden_size=8, image_size=SIZE, patch_size=8)
    write(f"{name}/config.json", shared | {"model_type": model.config.model_type})
    write(f"{name}/preprocessor_config.json", {"image_mean": mean, "image_std": std, "size": {"shortest_edge": SIZE}})
    return answer


def encoders():
    shared = dict(hidden_size=8, intermediate_size=12, num_hidden_layers=2, num_attention_heads=2, image_size=SIZE, patch_size=8)
    eager = {"attn_implementation": "eager"}
    clip = stirred(CLIPVisionModelWithProjection._from_config(CLIPVisionConfig(projection_dim=6, **shared), **eager), 0.1)
    siglip = stirred(SiglipVisionModel._from_config(SiglipVisionConfig(**shared), **eager), 0.1)
    mean, std = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
    colours = (torch.rand(1, 37, 23, 3) * 255).round()
    image = colours / 255
    return {
        "picture": {"shape": list(colours.shape), "bytes": [int(colour) for colour in colours.flatten()]},
        "clip": encoder("clip_vision", clip, image, mean, std, ["image_embeds", "last_hidden_state"], {"image_embeds": BATCH, "last_hidden_state": BATCH}),
        "siglip": encoder("siglip", siglip, image, [0.5] * 3, [0.5] * 3, ["last_hidden_state", "pooler_output"],
                          {"last_hidden_state": BATCH, "pooler_output": BATCH}),
    }


def redux():
    model = stirred(ReduxImageEncoder(redux_dim=8, txt_in_features=6), 0.05)
    tokens = as_stored(1, 4, 8)
    with torch.no_grad():
        said = rounded(model(tokens).image_embeds)
    forward = model.forward
    export("redux", model, lambda tokens: forward(tokens).image_embeds, [tokens], ["x"], ["image_embeds"],
           {"x": TOKENS, "image_embeds": TOKENS})
    return {"tokens": rounded(tokens), "style": said}


def small_unet(name, labels, **options):
    """Exports a UNet with the fewest layers that depend on the class labels."""
    model = UNet2DConditionModel(
        sample_size=8, out_channels=4, block_out_channels=(4,), layers_per_block=1, cross_attention_dim=6, attention_head_dim=2,
        norm_num_groups=2, down_block_types=("DownBlock2D",), up_block_types=("UpBlock2D",), **options,
    ).eval()
    UNETS[name] = model
    sample, timestep, text = as_stored(1, options["in_channels"], 4, 6), torch.tensor([321]), as_stored(1, 5, 6)
    forward = model.forward

    def answer(sample, timestep, encoder_hidden_states, class_labels):
        return forward(sample, timestep, encoder_hidden_states, class_labels=class_labels, return_dict=False)[0]

    names = ["sample", "timestep", "encoder_hidden_states", "class_labels"]
    export(name, model, answer, [sample, timestep, text, labels], names, ["out_sample"],
           {"sample": HEIGHT_WIDTH, "encoder_hidden_states": TOKENS, "class_labels": BATCH, "out_sample": HEIGHT_WIDTH})
    config(name, model, "in_channels", "block_out_channels", "layers_per_block", "class_embed_type", "num_class_embeds",
           "projection_class_embeddings_input_dim")
    return answer, {"x": rounded(sample), "text": rounded(text), "timestep": 321}, (sample, timestep, text)


def unclip():
    """Noised image embeddings and a network that they condition. Three embeddings are merged as in ComfyUI."""
    width, seed = 16, 1234
    normalizer = StableUnCLIPImageNormalizer(embedding_dim=width)
    with torch.no_grad():
        normalizer.mean.copy_(as_stored(1, width) * 0.1)
        normalizer.std.copy_(as_stored(1, width).abs() + 0.5)
    (HERE / "unclip_normalizer").mkdir(exist_ok=True)
    save_file({"mean": normalizer.mean.data, "std": normalizer.std.data}, HERE / "unclip_normalizer/diffusion_pytorch_model.safetensors")
    pipeline = SimpleNamespace(
        image_normalizer=normalizer,
        image_noising_scheduler=DDPMScheduler(num_train_timesteps=1000, beta_schedule="squaredcos_cap_v2"),
    )
    normalizer.to = lambda *_: normalizer
    noised = lambda embeds, level, noise: StableUnCLIPImg2ImgPipeline.noise_image_embeddings(pipeline, embeds, level, noise=noise)
    embeds = as_stored(3, width)
    noise = torch.randn(1, width, generator=torch.manual_seed(seed - 10))
    with torch.no_grad():
        one = noised(embeds[:1], round(999 * 0.3), noise)
        # The first has a strength of 0.7, the batch of the others -0.4.
        weights, levels = [0.7, -0.4, -0.4], [0.3, 0.1, 0.1]
        parts = [weight * noised(embeds[i:i + 1], round(999 * level), noise) for i, (weight, level) in enumerate(zip(weights, levels))]
        generator = torch.manual_seed(seed - 10)
        torch.randn(1, width, generator=generator)
        merged = noised(sum(parts)[:, :width], round(999 * 0.05), torch.randn(1, width, generator=generator))
    labels = torch.randn(1, 2 * width)
    answer, given, args = small_unet("unclip", labels, in_channels=4, class_embed_type="projection", projection_class_embeddings_input_dim=2 * width)
    with torch.no_grad():
        return given | {
            "seed": seed, "embeds": rounded(embeds), "one": rounded(one), "merged": rounded(merged),
            "told": rounded(answer(*args, one)), "plain": rounded(answer(*args, torch.zeros(1, 2 * width))),
        }


def upscaler():
    """A noised image in channels next to the latent, and a network that knows the noise level."""
    seed, amount = 77, 0.2
    answer, given, (sample, timestep, text) = small_unet("upscaler", torch.tensor([20]), in_channels=7, num_class_embeds=351)
    image = (as_stored(1, 3, 4, 6)).clip(-1, 1)
    level = torch.tensor([round(350 * amount)])
    noise = torch.randn(1, 3, 4, 6, generator=torch.manual_seed(seed - 10))
    scheduler = DDPMScheduler(beta_start=0.0001, beta_end=0.02, beta_schedule="scaled_linear")
    noised = scheduler.add_noise(image, noise, level)
    latent = sample[:, :4]
    with torch.no_grad():
        return given | {
            "x": rounded(latent), "seed": seed, "amount": amount, "picture": rounded(image.permute(0, 2, 3, 1) / 2 + 0.5), "noised": rounded(noised),
            "told": rounded(answer(torch.cat([latent, noised], 1), timestep, text, level)),
            "plain": rounded(answer(torch.cat([latent, image], 1), timestep, text, torch.tensor([0]))),
        }


def kontext():
    """Flux with the tokens of a reference image after its own, positioned as in FluxKontextPipeline."""
    model = FluxTransformer2DModel(
        patch_size=1, in_channels=64, num_layers=0, num_single_layers=1, attention_head_dim=8, num_attention_heads=1,
        joint_attention_dim=6, pooled_projection_dim=5, axes_dims_rope=(2, 2, 4),
    ).eval()
    latent, reference, text, pooled = as_stored(1, 16, 4, 6), as_stored(1, 16, 6, 2), as_stored(1, 5, 6), as_stored(1, 5)
    ids = FluxPipeline._prepare_latent_image_ids(1, 2, 3, "cpu", torch.float32)
    reference_ids = FluxPipeline._prepare_latent_image_ids(1, 3, 1, "cpu", torch.float32)
    reference_ids[..., 0] = 1
    tokens = torch.cat([FluxPipeline._pack_latents(latent, 1, 16, 4, 6), FluxPipeline._pack_latents(reference, 1, 16, 6, 2)], 1)
    # The tracing exporter fixes the batch size: two prompts at once.
    args = (*(one.repeat(2, *[1] * (one.dim() - 1)) for one in (tokens, text, pooled, torch.tensor([0.4]))), torch.cat([ids, reference_ids]), torch.zeros(5, 3))
    names = ["hidden_states", "encoder_hidden_states", "pooled_projections", "timestep", "img_ids", "txt_ids"]
    with torch.no_grad():
        said = model(*args).sample[:1, :6]
    forward = model.forward
    export("kontext", model, lambda *args: forward(*args, return_dict=False)[0], args, names, ["out_hidden_states"],
           {name: BATCH for name in [*names[:4], "out_hidden_states"]})
    config("kontext", model, "in_channels")
    return {
        "x": rounded(latent), "text": rounded(text), "pooled": rounded(pooled), "timestep": 0.4, "reference": rounded(reference),
        "told": rounded(FluxPipeline._unpack_latents(said, 32, 48, 8)),
    }


def gligen():
    """A UNet with GLIGEN boxes, with the weights of the unclip UNet in place of its own."""
    model = stirred(UNet2DConditionModel(
        sample_size=8, in_channels=4, out_channels=4, block_out_channels=(4,), layers_per_block=1, cross_attention_dim=6,
        attention_head_dim=2, norm_num_groups=2, down_block_types=("DownBlock2D",), up_block_types=("UpBlock2D",), attention_type="gated",
    ), 0.1)
    # The original has a megabyte here.
    model.position_net.linears = nn.Sequential(nn.Linear(6 + 64, 4), nn.SiLU(), nn.Linear(4, 6))
    sample, timestep, text, summaries = as_stored(1, 4, 4, 6), torch.tensor([321]), as_stored(1, 5, 6), as_stored(2, 6)
    boxes, embeddings, masks = torch.zeros(1, 30, 4), torch.zeros(1, 30, 6), torch.zeros(1, 30)
    boxes[0, 0], boxes[0, 1] = torch.tensor([1 / 6, 0, 3 / 6, 2 / 4]), torch.tensor([0, 1 / 4, 6 / 6, 4 / 4])
    embeddings[0, :2], masks[0, :2] = summaries, 1
    forward = model.forward

    def answer(sample, timestep, encoder_hidden_states, boxes, positive_embeddings, masks):
        boxes_input = {"gligen": {"boxes": boxes, "positive_embeddings": positive_embeddings, "masks": masks}}
        return forward(sample, timestep, encoder_hidden_states, cross_attention_kwargs=boxes_input, return_dict=False)[0]

    args = (sample, timestep, text, boxes, embeddings, masks)
    names = ["sample", "timestep", "encoder_hidden_states", "boxes", "positive_embeddings", "masks"]
    axes = {"sample": HEIGHT_WIDTH, "encoder_hidden_states": TOKENS, "out_sample": HEIGHT_WIDTH}
    export("gligen", model, answer, args, names, ["out_sample"], axes | {name: BATCH for name in names[3:]})
    config("gligen", model, "in_channels", "block_out_channels", "layers_per_block")
    with torch.no_grad():
        own = rounded(answer(*args))
        model.load_state_dict(UNETS["unclip"].state_dict(), strict=False)
        said = rounded(answer(*args))
        none = rounded(answer(*args[:3], boxes * 0, embeddings * 0, masks * 0))
    return {"x": rounded(sample), "text": rounded(text), "timestep": 321, "summaries": rounded(summaries), "plain": own, "told": said, "none": none}


if __name__ == "__main__":
    torch.manual_seed(0)
    answers = encoders() | {"redux": redux(), "unclip": unclip(), "upscaler": upscaler(), "kontext": kontext(), "gligen": gligen()}
    write("vision.json", answers)
