/** The browser package `tabd`: starts tabd in a page of a site. */
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
