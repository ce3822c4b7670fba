import type { modelFileStrings as English } from '../model-files.ts';
import { appStrings } from './app.ts';
import { commonStrings } from './common.ts';

export const modelFileStrings: typeof English = {
  heading: 'Modelldateien',
  intro:
    'Zieh eine Modelldatei irgendwo auf diese Seite, oder wähle eine. Checkpoints, LoRAs, Autoencoder, Upscaler, ControlNets, Text-Encoder und Embeddings kommen in die Ordner, in denen Bild-Workflows sie suchen. Das gilt auch für GGUF-Dateien von Netzen und Text-Encodern. Andere GGUF-Dateien sind für den Chat.',
  choose: 'Dateien wählen…',
  dropHere: 'Modelldateien hier ablegen',
  checking: 'Wird geprüft…',
  adding: (folder) => `Wird zu ${folder} hinzugefügt`,
  done: (kind, folder) =>
    `Zu ${folder} hinzugefügt: ${kind}. Knoten, die Modelle laden, bieten die Datei nun an.`,
  doneUnclear: (folder) => `Zu ${folder} hinzugefügt. Knoten, die Modelle laden, bieten die Datei nun an.`,
  amount: (completed, total) => `${completed} von ${total}`,
  question: 'Die Namen in dieser Datei sagen nicht, was sie ist. Wähle den Ordner ihrer Art:',
  languageQuestion:
    'Diese Datei ist ein Text-Encoder von Bildmodellen und ein Sprachmodell. Wähle ihre Verwendung:',
  folderOf: (file) => `Ordner von ${file}`,
  add: 'Hinzufügen',
  cancel: commonStrings.cancel,
  cancelOf: (file) => `${file} abbrechen`,
  dismiss: 'Ausblenden',
  dismissOf: (file) => `${file} ausblenden`,
  ggufOnComputer: (file) =>
    `Diese GGUF-Datei ist ein Sprachmodell. Führe in einem Terminal dieses Computers „npx tabd import ${file}“ aus, oder wähle oben „${appStrings.servers.tab}“.`,
  notModel: (file) =>
    `${file} ist keine Modelldatei: Der Name muss auf .safetensors, .sft, .ckpt, .pt, .pth, .bin oder .gguf enden.`,
  stopped: 'Der Server antwortet nicht. Prüfe, ob er läuft, und füge die Datei dann noch einmal hinzu.',
  folders: {
    checkpoints: 'vollständige Modelle',
    loras: 'LoRAs',
    vae: 'Autoencoder (VAE)',
    text_encoders: 'Text-Encoder',
    diffusion_models: 'Diffusionsnetze allein',
    clip_vision: 'Bild-Encoder',
    style_models: 'Stilmodelle',
    embeddings: 'Embeddings für Prompts',
    vae_approx: 'kleine Autoencoder (TAESD)',
    controlnet: 'ControlNets',
    gligen: 'GLIGEN',
    upscale_models: 'Upscaler',
    hypernetworks: 'Hypernetze',
    latent_upscale_models: 'Upscaler für Latents',
    photomaker: 'PhotoMaker',
    classifiers: 'Klassifikatoren',
    model_patches: 'Ergänzungen von Modellen',
    audio_encoders: 'Audio-Encoder',
    chat: 'Sprachmodelle für den Chat',
  },
};
