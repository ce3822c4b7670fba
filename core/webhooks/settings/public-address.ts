/** The address at which clients reach this server. */
import { DEFAULT_PORTS } from '#core/http';
import { type SettingSource, textSetting } from '#core/settings';

const PROTOCOL_PORTS: Record<string, string> = { http: '80', https: '443' };

/**
 * `WEBHOOK_URL` is the complete address. Without it protocol, host and path come from their own settings.
 * @param listening where the server listens, for what no setting says
 * @returns the address without a slash at its end
 */
export function readPublicAddress(
  host: SettingSource,
  listening = `http://localhost:${DEFAULT_PORTS.webhooks}`,
): string {
  const complete = textSetting(host, 'WEBHOOK_URL') || textSetting(host, 'N8N_WEBHOOK_URL');
  if (complete) return complete.replace(/\/+$/, '');
  const url = new URL(listening);
  const listeningProtocol = url.protocol.slice(0, -1);
  const ownProtocol = textSetting(host, 'N8N_PROTOCOL').toLowerCase();
  const protocol = ownProtocol in PROTOCOL_PORTS ? ownProtocol : listeningProtocol;
  const name = publicHostName(textSetting(host, 'N8N_HOST')) || url.hostname;
  const port = url.port || PROTOCOL_PORTS[listeningProtocol]!;
  const path = textSetting(host, 'N8N_PATH').replace(/^\/+|\/+$/g, '');
  return `${protocol}://${name}${port === PROTOCOL_PORTS[protocol] ? '' : `:${port}`}${path && `/${path}`}`;
}

/** Empty for `0.0.0.0` and the like: a server can listen there, but clients cannot call it. */
function publicHostName(name: string): string {
  if (name === '' || name === '0.0.0.0' || name === '::' || !/^[\w.:[\]-]+$/.test(name)) return '';
  return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
}
