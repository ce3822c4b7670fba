export { clientAddress, DEFAULT_HOST, parseOllamaHost } from './ollama-host.ts';
export {
  countSetting,
  durationSetting,
  flagSetting,
  listSetting,
  type Settings,
  textSetting,
  trimSetting,
} from './read-setting.ts';
