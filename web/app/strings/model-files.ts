import { appStrings } from './app.ts';
import { commonStrings } from './common.ts';
import { localized } from './language.ts';

/** Texts for files of models that are dropped on the page. */
export const modelFileStrings = localized('modelFileStrings', {
  heading: 'Model files',
  intro:
    'Drop a model file anywhere on this page, or choose one. Checkpoints, LoRAs, autoencoders, upscalers, control nets, text encoders and embeddings go into the folders where image workflows look for them. So do GGUF files of networks and text encoders. Other GGUF files are for chat.',
  choose: 'Choose files…',
  dropHere: 'Drop model files',
  checking: 'Checking…',
  adding: (folder: string) => `Adding to ${folder}`,
  done: (kind: string, folder: string) => `Added to ${folder}: ${kind}. Loader nodes list it now.`,
  doneUnclear: (folder: string) => `Added to ${folder}. Loader nodes list it now.`,
  amount: (completed: string, total: string) => `${completed} of ${total}`,
  question: 'The names in this file do not say what it is. Choose the folder of its kind:',
  languageQuestion: 'This file is a text encoder of image models and a language model. Choose its use:',
  folderOf: (file: string) => `Folder of ${file}`,
  add: 'Add',
  cancel: commonStrings.cancel,
  cancelOf: (file: string) => `Cancel ${file}`,
  dismiss: 'Dismiss',
  dismissOf: (file: string) => `Dismiss ${file}`,
  ggufOnComputer: (file: string) =>
    `This GGUF file is a language model. Run "npx tabd import ${file}" in a terminal of this computer, or choose "${appStrings.servers.tab}" at the top.`,
  notModel: (file: string) =>
    `${file} is no model file: its name must end in .safetensors, .sft, .ckpt, .pt, .pth, .bin or .gguf.`,
  stopped: 'The server does not answer. Check that it runs, then add the file again.',
  folders: {
    checkpoints: 'complete models',
    loras: 'LoRAs',
    vae: 'autoencoders (VAE)',
    text_encoders: 'text encoders',
    diffusion_models: 'diffusion networks alone',
    clip_vision: 'vision encoders',
    style_models: 'style models',
    embeddings: 'embeddings for prompts',
    vae_approx: 'small autoencoders (TAESD)',
    controlnet: 'control nets',
    gligen: 'GLIGEN',
    upscale_models: 'upscalers',
    hypernetworks: 'hypernetworks',
    photomaker: 'PhotoMaker',
    classifiers: 'classifiers',
    model_patches: 'patches of models',
    audio_encoders: 'audio encoders',
    latent_upscale_models: 'upscalers of latents',
    chat: 'language models for chat',
  } as Record<string, string>,
});
