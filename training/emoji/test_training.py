"""Tests of the training: `python -m unittest` in this folder, with the training's environment."""

import random
import tempfile
import unittest
from pathlib import Path

import torch

import captions
import optimizer
import split
import tokenizer
from network import Model, expected_velocity

NAMES = ["red apple", "fox", "t rex", "1st place medal"]


class TokenizerTest(unittest.TestCase):
    def setUp(self):
        folder = Path(tempfile.mkdtemp())
        tokenizer.write(folder, tokenizer.learn([*NAMES, captions.words()], 2000))
        self.tokenizer = tokenizer.Tokenizer(folder)

    def test_known_words_are_one_token_and_unknown_ones_fall_into_pieces(self):
        ids = self.tokenizer.encode("Red  apple", 8)
        self.assertEqual([ids[0], *ids[3:]], [self.tokenizer.start] + [self.tokenizer.end] * 5)
        self.assertGreater(len([id for id in self.tokenizer.encode("quokka", 12) if id != self.tokenizer.end]), 3)

    def test_long_texts_are_cut_and_still_end(self):
        ids = self.tokenizer.encode("apple " * 100, 10)
        self.assertEqual((len(ids), ids[-1]), (10, self.tokenizer.end))

    def test_agrees_with_the_clip_tokenizer(self):
        from transformers import CLIPTokenizer

        folder = Path(tempfile.mkdtemp())
        tokenizer.write(folder, tokenizer.learn([*NAMES, captions.words()], 2000))
        theirs = CLIPTokenizer.from_pretrained(folder)
        for text in ["a red apple, flat style", "T-Rex on blue!", "1st place medal's", "zürich 42 🦊", ""]:
            self.assertEqual(theirs(text, padding="max_length", max_length=77)["input_ids"], tokenizer.Tokenizer(folder).encode(text))


class ExpectedVelocityTest(unittest.TestCase):
    def test_is_what_noise_and_pictures_around_the_sketch_give_on_average(self):
        torch.manual_seed(0)
        count, sketch, error = 400_000, 0.7, 0.1
        image = sketch + error**0.5 * torch.randn(count)
        noise = torch.randn(count)
        for level in (0.05, 0.3, 0.9, 1.0):
            latents = (1 - level) * image + level * noise
            near = (latents - latents.mean()).abs() < 0.3 * latents.std()
            velocity = expected_velocity(latents[near].view(1, -1, 1, 1), torch.tensor([level]), torch.tensor(sketch), error).mean()
            self.assertAlmostEqual(float(velocity), float((noise - image)[near].mean()), delta=0.02)


class NetworkTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.model = Model(50, 49, width=32, depth=2, heads=2, text_layers=1, queries=3, sketch=16).eval()
        for parameter in self.model.parameters():
            parameter.data += 0.05 * torch.randn_like(parameter)

    @torch.no_grad()
    def test_padding_changes_nothing(self):
        latents, t = torch.randn(2, 4, 16, 16), torch.tensor([0.3, 1.0])
        short = torch.tensor([[48, 5, 6, 49, 49], [48, 7, 49, 49, 49]])
        long = torch.nn.functional.pad(short, (0, 72), value=49)
        self.assertTrue(torch.allclose(self.model(latents, t, short), self.model(latents, t, long), atol=1e-5))

    @torch.no_grad()
    def test_the_text_matters_and_no_text_at_all_is_finite(self):
        latents, t = torch.randn(1, 4, 16, 16), torch.tensor([1.0])
        part, other = (self.model(latents, t, torch.tensor([[48, id, 49]])) for id in (5, 6))
        self.assertGreater(float((part - other).abs().max()), 1e-4)
        self.assertTrue(self.model.flow(latents, t, torch.zeros(1, 77, 32)).isfinite().all())

    @torch.no_grad()
    def test_other_sizes_come_out_in_their_size(self):
        self.assertEqual(self.model(torch.randn(1, 4, 20, 12), torch.tensor([0.5]), torch.tensor([[48, 49]])).shape, (1, 4, 20, 12))

    def test_muon_learns(self):
        optimizers = optimizer.make(self.model, "muon", 1e-2)
        latents, t, ids = torch.randn(4, 4, 16, 16), torch.rand(4), torch.randint(48, (4, 6))
        losses = []
        for _ in range(30):
            loss = (self.model(latents, t, ids) - latents).square().mean()
            self.model.zero_grad()
            loss.backward()
            for part in optimizers:
                part.step()
            losses.append(float(loss.detach()))
        self.assertLess(losses[-1], 0.7 * losses[0])


class SplitTest(unittest.TestCase):
    def test_about_one_in_sixteen_is_held_out_and_it_stays_so(self):
        held = [split.held_out(f"thing {i}", "flat", "blue") for i in range(4000)]
        self.assertAlmostEqual(sum(held) / 4000, 1 / 16, delta=0.015)
        self.assertFalse(split.held_out("fox", "flat", "blue"))

    def test_evaluation_prompts_are_held_out_and_name_everything(self):
        index = [{"name": name, "style": style} for name in split.concepts("first") for style in ("flat", "noto")]
        rows = split.evaluation(index, "first")
        self.assertEqual(len(rows), 200)
        for row in rows:
            self.assertTrue(split.held_out(row["name"], row["style"], row["background"]))
            self.assertTrue(all(word in row["prompt"] for word in (row["name"], row["style"], row["background"])))
            self.assertEqual(len({row["name"], *row["others"]}), 50)


class CaptionTest(unittest.TestCase):
    def test_a_colour_is_always_named(self):
        rng = random.Random(0)
        for _ in range(200):
            self.assertIn("orange", captions.caption("fox", "flat", "orange", rng))


if __name__ == "__main__":
    unittest.main()
