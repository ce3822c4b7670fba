/** Settings as typed values, and the parser of OLLAMA_HOST. */
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
