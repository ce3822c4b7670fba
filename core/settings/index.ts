/** Settings as typed values, and the one that says where the server listens. */
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
