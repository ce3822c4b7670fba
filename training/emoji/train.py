"""Trains text encoder and transformer by flow matching. Continues from the last checkpoint; stops at --hours, --steps or SIGTERM."""

import argparse
import json
import os
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import latents as latent_cache
import model as models
import optimizer
import images
from captions import caption
from pause import Pause
from settings import BACKGROUND_NAMES, SETTINGS, WORK, concepts, write_atomically
from split import held_out
from tokenizer import Tokenizer

LOG = WORK / "log.jsonl"
WHITE_SHARE, EMPTY_SHARE = 0.3, 0.1
SKETCH_SHARE = 0.5
# Captions are shorter than 77 tokens. Trailing positions that no caption of a batch uses are left out, to save time.
CAPTION_LENGTH = 24


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", choices=["first", "all"], default="first", help="the names of concepts.txt to train")
    parser.add_argument("--rest", type=float, default=0.0, help="relative frequency of images outside of all tiers")
    parser.add_argument("--sketch-only", action="store_true", help="train only the sketch head: the first, quick part")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--warmup", type=int, default=100, help="steps of increasing learning rate after each start")
    parser.add_argument("--cooldown", type=int, default=0, help="decrease the learning rate to zero over so many steps, then stop")
    parser.add_argument("--optimizer", choices=["muon", "adamw"], default="muon")
    parser.add_argument("--steps", type=int, default=10**9, help="stop at this step, counted over all runs")
    parser.add_argument("--hours", type=float, default=1e9, help="stop after so many hours of this run, without pauses")
    parser.add_argument("--threads", type=int, default=2, help="the most threads; fewer while other programs are busy")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--pause-while", metavar="FILE", help="sleep while this file exists")
    parser.add_argument("--save-seconds", type=float, default=240)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fresh", action="store_true", help="neither read nor write checkpoints, to compare settings")
    return parser.parse_args()


def combinations(index: list[dict], tier: str, rest: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All trainable pairs (image, background) with their frequencies, and the same of the held-out pairs."""
    known = set(concepts(tier))
    rows, weights, held_out_rows = [], [], []
    for place, entry in enumerate(index):
        often = 1.0 if entry["name"] in known else rest
        for order, colour in enumerate(BACKGROUND_NAMES if often else []):
            if held_out(entry["name"], entry["style"], colour):
                if entry["name"] in known:
                    held_out_rows.append((place, order))
            else:
                rows.append((place, order))
                weights.append(often * (WHITE_SHARE if order == 0 else (1 - WHITE_SHARE) / (len(BACKGROUND_NAMES) - 1)))
    return np.array(rows), np.cumsum(weights) / np.sum(weights), np.array(held_out_rows)


def noise_levels(count: int, generator: torch.Generator) -> torch.Tensor:
    """Random t in 0..1: many near 1, where the text alone decides the image, the others around the middle."""
    middle = torch.sigmoid(torch.randn(count, generator=generator) * 1.1 + 0.3)
    high = 1 - 0.2 * torch.rand(count, generator=generator) ** 1.5
    return torch.where(torch.rand(count, generator=generator) < 0.3, high, middle)


def free_threads(most: int) -> int:
    """Adapts the number of threads to idle processors: each step waits for its slowest thread."""
    try:
        busy = float(Path("/proc/loadavg").read_text().split()[0]) - torch.get_num_threads()
    except OSError:
        return most
    return max(1, min(most, round((os.cpu_count() or 1) - busy)))


class Training:
    def __init__(self, options):
        self.options = options
        torch.set_num_threads(options.threads)
        torch.manual_seed(options.seed)
        self.index = json.loads(images.INDEX.read_text())
        self.rows, self.weights, self.held_out_rows = combinations(self.index, options.tier, options.rest)
        self.tokenizer = Tokenizer()
        self.generator = torch.Generator().manual_seed(options.seed)
        self.rng = random.Random(options.seed)
        self.model = models.new(self.tokenizer)
        self.average = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.step, self.seconds, self.loss = 0, 0.0, None
        checkpoint = None
        if not options.fresh and models.CHECKPOINT.exists():
            checkpoint = torch.load(models.CHECKPOINT, map_location="cpu", weights_only=False)
            self.model.load_state_dict(checkpoint["model"])
            self.average = checkpoint["average"]
            self.step, self.seconds, self.loss = checkpoint["step"], checkpoint["seconds"], checkpoint["loss"]
            self.generator.set_state(checkpoint["generator"])
            self.rng.setstate(checkpoint["chance"])
        self.model.to(options.device)
        self.average = {name: value.to(options.device) for name, value in self.average.items()}
        self.optimizers = optimizer.make(self.model, options.optimizer, options.lr)
        if checkpoint and checkpoint["optimizer"] == options.optimizer:
            for one, state in zip(self.optimizers, checkpoint["optimizers"]):
                one.load_state_dict(state)
        self.run = torch.compile(self.model, dynamic=False) if options.compile else self.model
        self.first_step = self.step
        self.pause = Pause(options.pause_while, self.save)
        # Held-out pairs are evaluated but never trained.
        requested = sorted({int(place) for place in self.rows[:, 0]} | {int(place) for place in self.held_out_rows[:, 0]})
        self.latents = latent_cache.make(requested, self.pause)

    def save(self) -> None:
        if self.options.fresh or self.step == self.first_step:
            return
        content = {
            "model": self.model.state_dict(),
            "average": self.average,
            "optimizer": self.options.optimizer,
            "optimizers": [one.state_dict() for one in self.optimizers],
            "generator": self.generator.get_state(),
            "chance": self.rng.getstate(),
            "step": self.step,
            "seconds": self.seconds,
            "loss": self.loss,
            "network": SETTINGS["network"],
            "tier": self.options.tier,
        }
        write_atomically(models.CHECKPOINT, lambda path: torch.save(content, path))

    def batch(self, rows: np.ndarray, rng: random.Random, empty: float):
        texts = []
        for place, order in rows:
            entry = self.index[place]
            asked = caption(entry["name"], entry["style"], BACKGROUND_NAMES[order], rng)
            texts.append(self.tokenizer.encode("" if rng.random() < empty else asked, CAPTION_LENGTH))
        clean = torch.from_numpy(self.latents[rows[:, 0], rows[:, 1]].astype(np.float32))
        ids = torch.tensor(texts)
        longest = int((ids != self.tokenizer.end).sum(1).max()) + 1
        return clean.to(self.options.device), ids[:, :longest].to(self.options.device)

    def losses(self, network, clean, ids, t, noise):
        """Squared error of the velocity, for each image."""
        part = t[:, None, None, None]
        wide = torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.options.device == "cuda")
        with wide:
            velocity = network((1 - part) * clean + part * noise, t, ids)
        return (velocity.float() - (noise - clean)).square().mean((1, 2, 3))

    def sketch_losses(self, clean, ids):
        """Squared error of the sketch, for each image."""
        return (self.model.flow.sketch(self.model.text(ids)) - clean).square().mean((1, 2, 3))

    def loss_of(self, clean, ids):
        options = self.options
        sketch = self.sketch_losses(clean, ids).mean()
        if options.sketch_only:
            return sketch
        t = noise_levels(options.batch, self.generator).to(options.device)
        noise = torch.randn(clean.shape, generator=self.generator).to(options.device)
        # The sketch has a loss of its own. Otherwise it could become anything, as long as the network can correct it.
        return self.losses(self.run, clean, ids, t, noise).mean() + SKETCH_SHARE * sketch

    def learn(self) -> float:
        options = self.options
        picks = np.searchsorted(self.weights, torch.rand(options.batch, generator=self.generator).numpy())
        clean, ids = self.batch(self.rows[np.minimum(picks, len(self.rows) - 1)], self.rng, EMPTY_SHARE)
        loss = self.loss_of(clean, ids)
        for one in self.optimizers:
            one.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        done = self.step - self.first_step
        rate = options.lr * min(1, (done + 1) / options.warmup)
        if options.cooldown:
            rate *= max(0.0, 1 - done / options.cooldown)
        for one in self.optimizers:
            for group in one.param_groups:
                group["lr"] = rate
            one.step()
        self.step += 1
        # An average over about the last twelfth of the training so far.
        keep = min(0.9998, 1 - 12 / (self.step + 12))
        with torch.no_grad():
            state = self.model.state_dict()
            torch._foreach_lerp_([self.average[name] for name in state], list(state.values()), 1 - keep)
        return float(loss.detach())

    @torch.no_grad()
    def check(self) -> dict[str, float]:
        """Loss of the averaged weights on held-out combinations, at three fixed noise levels with fixed noise."""
        live = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.model.load_state_dict(self.average)
        fixed, rng = torch.Generator().manual_seed(1), random.Random(1)
        picks = self.held_out_rows[torch.randperm(len(self.held_out_rows), generator=fixed)[:48].numpy()]
        clean, ids = self.batch(picks, rng, 0)
        found = {"held_out_sketch": round(float(self.sketch_losses(clean, ids).mean()), 4)}
        for level in () if self.options.sketch_only else (1.0, 0.8, 0.5):
            noise = torch.randn(clean.shape, generator=fixed).to(clean.device)
            t = torch.full((len(clean),), level, device=clean.device)
            found[f"held_out_{level}"] = round(float(self.losses(self.model, clean, ids, t, noise).mean()), 4)
        self.model.load_state_dict(live)
        return found

    def go(self) -> None:
        options = self.options
        print(
            f"{sum(p.numel() for p in self.model.parameters()) / 1e6:.2f} M parameters, {len(self.rows)} combinations, "
            f"{len(self.held_out_rows)} held out, from step {self.step}",
            flush=True,
        )
        began, saved, counted = time.time(), time.time(), 0.0
        while self.step < options.steps and not self.pause.is_stopping:
            if counted >= options.hours * 3600 or (options.cooldown and self.step - self.first_step >= options.cooldown):
                break
            slept = self.pause.slept
            self.pause()
            if self.step % 10 == 0:
                torch.set_num_threads(free_threads(options.threads))
            start = time.time()
            loss = self.learn()
            counted += time.time() - start
            self.seconds += time.time() - start
            self.loss = loss if self.loss is None else 0.98 * self.loss + 0.02 * loss
            if self.step % 20 == 0 or self.pause.slept > slept:
                line = {"step": self.step, "seconds": round(self.seconds), "loss": round(self.loss, 4)}
                if self.step % 200 == 0:
                    line |= self.check()
                print(json.dumps(line), f"{(time.time() - began - self.pause.slept) / (self.step - self.first_step):.2f} s a step", flush=True)
                if not options.fresh:
                    with LOG.open("a") as log:
                        log.write(json.dumps(line) + "\n")
            if time.time() - saved > options.save_seconds:
                self.save()
                saved = time.time()
        self.save()
        print(f"stopped at step {self.step}", flush=True)


if __name__ == "__main__":
    Training(arguments()).go()
