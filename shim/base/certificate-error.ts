/** Codes of Node for a certificate that is not accepted. */
const CODE = /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_)/;

/**
 * The reason if a connection failed because of the certificate of the other side. Undefined: for another reason.
 * @param setting where a person names the authority that signed it
 */
export function certificateRefusal(error: unknown, setting: string): string | undefined {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (!CODE.test(code)) return undefined;
  return `its certificate is not accepted (${message}): name the authority in ${setting}`;
}
