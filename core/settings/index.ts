/** Settings as typed values, the access to the model hub, and the parser of OLLAMA_HOST. */
export { hubEndpoint, hubHeaders } from './hub-access.ts';
export { OLLAMA_DEFAULT_HOST, ollamaClientUrl, parseOllamaHost } from './ollama-host.ts';
export {
  countSetting,
  durationSetting,
  flagSetting,
  listSetting,
  type SettingSource,
  textSetting,
  trimSetting,
} from './read-setting.ts';
