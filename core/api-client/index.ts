/** Clients of this server's own APIs: language models, and graphs of image nodes. */
export type { ApiCaller } from './api-caller.ts';
export { ApiClientError } from './api-client-error.ts';
export {
  type ImageGraph,
  insertText,
  readImageGraph,
  renewSeeds,
  takesText,
} from './image-graphs/api-graph.ts';
export { fetchImage, type GraphResult, runGraph, type StoredImage } from './image-graphs/run-graph.ts';
export { type SuggestedSettings, suggestedSettings } from './image-graphs/suggested-settings.ts';
export {
  type ApiGraph,
  graphText,
  type ImageSettings,
  imageSettingsOf,
  randomSeed,
} from './image-graphs/text-to-image.ts';
export { chooseInstalled, type ModelCapability, requestModels } from './models/request-models.ts';
