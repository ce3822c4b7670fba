/** tabd in a page of your own. */
export { start } from './start.ts';
export {
  type ApiName,
  type Device,
  type DownloadConsent,
  type ImportProgress,
  ModelError,
  type ModelProgress,
  type ModelStanding,
  type PathReach,
  type SettingValues,
  StartError,
  type StartOptions,
  type Tabd,
  type TabdEventMap,
  type TabdState,
} from './types.ts';
