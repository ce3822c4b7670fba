import { trimSetting } from '#core/settings';

/** The trimmed value of an environment variable. An empty value counts as not set. */
export function settingValue(value: string | undefined): string | undefined {
  return (value && trimSetting(value)) || undefined;
}
