/** The files that a prompt names: weights by recipes, and small images, videos and recordings. */
import { existsSync, linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MediaTools } from '#test/support/image-workflows/media-tools.ts';
import type { ApiPrompt } from './graph-files.ts';
import folders from './loader-folders.json' with { type: 'json' };
import patterns from './recipes/published-files.json' with { type: 'json' };
import { RECIPES } from './recipes/recipes.ts';
import { smallTokenizers } from './recipes/tokenizers.ts';
import { writeRecipe } from './recipes/write-recipe.ts';

const WEIGHTS = /\.(safetensors|sft|ckpt|pth?|bin|gguf)$/i;
const EMBEDDING = /embedding:([\w.-]+)/g;
const FOLDERS: Readonly<Record<string, string>> = folders;

/** ffmpeg's inputs for media files by their extensions. */
const IMAGE = ['-f', 'lavfi', '-i', 'testsrc=size=256x256', '-frames:v', '1'];
const VIDEO = ['-f', 'lavfi', '-i', 'testsrc=size=256x256:rate=8:duration=1.2', '-pix_fmt', 'yuv420p'];
const AUDIO = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=1:sample_rate=44100', '-ac', '2'];
const MEDIA: readonly [extensions: RegExp, args: readonly string[]][] = [
  [/\.(png|jpe?g|webp|bmp)$/i, IMAGE],
  [/\.(mp4|webm|mov|mkv)$/i, VIDEO],
  [/\.(mp3|wav|flac|ogg|m4a)$/i, AUDIO],
];

/** Puts the files of prompts below a folder as a server's installation has them. */
export class NamedFiles {
  readonly #media = new MediaTools();

  /**
   * @param home folder of the installation
   * @param recipes folder of the files of weights, which many names share
   */
  constructor(
    private readonly home: string,
    private readonly recipes: string,
  ) {
    for (const [name, table] of Object.entries(smallTokenizers())) {
      const path = join(home, 'models/tokenizers', name, 'tokenizer.json');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(table));
    }
  }

  /** Returns the names of weights without a recipe. */
  provide(prompt: ApiPrompt): string[] {
    const unknown: string[] = [];
    for (const { class_type, inputs } of Object.values(prompt)) {
      // This node has no input for the encoder that it needs.
      if (class_type === 'LotusConditioning') this.#place('clip-h', 'models/text_encoders/h.safetensors');
      const texts = Object.values(inputs).filter((value) => typeof value === 'string');
      for (const text of texts) {
        const folder = WEIGHTS.test(text) ? FOLDERS[class_type] : undefined;
        if (folder && !this.#weights(folder, text)) unknown.push(`${folder}/${text}`);
        this.#mediaFile(text);
        this.#embeddings(text);
      }
    }
    return unknown;
  }

  remove(): void {
    this.#media.remove();
  }

  #weights(folder: string, name: string): boolean {
    const path = `${folder}/${name.replaceAll('\\', '/')}`;
    const found = patterns.find(([pattern]) => new RegExp(pattern!, 'i').test(path));
    if (!found || !RECIPES[found[1]!]) return false;
    this.#place(found[1]!, `models/${path}`);
    return true;
  }

  #embeddings(text: string): void {
    for (const [, name = ''] of text.matchAll(EMBEDDING))
      this.#place('embedding', `models/embeddings/${name.replace(/\.(pt|safetensors)$/, '')}.safetensors`);
  }

  #place(recipe: string, path: string): void {
    const placed = join(this.home, path);
    if (existsSync(placed)) return;
    const stored = join(this.recipes, `${recipe}.safetensors`);
    if (!existsSync(stored)) writeRecipe(stored, RECIPES[recipe]!());
    mkdirSync(dirname(placed), { recursive: true });
    linkSync(stored, placed);
  }

  #mediaFile(value: string): void {
    const [, name = '', folder = 'input'] = /^(.+?)(?: \[(input|output|temp)\])?$/.exec(value) ?? [];
    const media = MEDIA.find(([extensions]) => extensions.test(name));
    const path = join(this.home, folder, name);
    if (!media || name.length > 200 || existsSync(path)) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.#media.encode(name.replaceAll('/', '_'), ...media[1]));
  }
}
