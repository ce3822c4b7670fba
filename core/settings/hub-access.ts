import { type SettingSource, textSetting } from './read-setting.ts';

const PUBLIC_HUB = 'https://huggingface.co';

/** The model hub's address without a final slash: `HF_ENDPOINT` or the public hub. */
export const hubEndpoint = (host: SettingSource): string =>
  (textSetting(host, 'HF_ENDPOINT') || PUBLIC_HUB).replace(/\/+$/, '');

/**
 * The headers of requests to the hub's own address: the token `HF_TOKEN`, or none. fetch drops an authorization when it
 * is redirected to another origin.
 */
export function hubHeaders(host: SettingSource): Record<string, string> {
  const token = textSetting(host, 'HF_TOKEN');
  return token ? { authorization: `Bearer ${token}` } : {};
}
