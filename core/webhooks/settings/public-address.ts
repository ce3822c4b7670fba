/** Where callers reach this server, as its settings say. */
import { DEFAULT_PORTS } from '#core/http';
import { type SettingSource, textSetting } from '#core/settings';

const USUAL_PORTS: Record<string, string> = { http: '80', https: '443' };

/**
 * `WEBHOOK_URL` is the whole of it; else it is put together of protocol, host, port and path, each of which has its own
 * setting. Without a slash at the end.
 * @param own where the server listens (`http://localhost:5678`): counts for what no setting says
 */
export function readPublicAddress(
  host: SettingSource,
  own = `http://localhost:${DEFAULT_PORTS.webhooks}`,
): string {
  const whole = textSetting(host, 'WEBHOOK_URL') || textSetting(host, 'N8N_WEBHOOK_URL');
  if (whole) return whole.replace(/\/+$/, '');
  const listening = new URL(own);
  const said = textSetting(host, 'N8N_PROTOCOL').toLowerCase();
  const protocol = said in USUAL_PORTS ? said : listening.protocol.slice(0, -1);
  const name = hostName(textSetting(host, 'N8N_HOST')) || listening.hostname;
  const port = listening.port || USUAL_PORTS[listening.protocol.slice(0, -1)]!;
  const path = textSetting(host, 'N8N_PATH').replace(/^\/+|\/+$/g, '');
  return `${protocol}://${name}${port === USUAL_PORTS[protocol] ? '' : `:${port}`}${path && `/${path}`}`;
}

/** `0.0.0.0` and the like are places to listen at, none to call. */
function hostName(given: string): string {
  if (given === '' || given === '0.0.0.0' || given === '::' || !/^[\w.:[\]-]+$/.test(given)) return '';
  return given.includes(':') && !given.startsWith('[') ? `[${given}]` : given;
}
