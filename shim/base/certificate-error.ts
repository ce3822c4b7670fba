/** Codes of Node for a certificate that is not accepted. */
const CODE = /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_)/;

/** Whether a connection failed because nobody that this process trusts vouches for the other side. */
export function isCertificateError(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return CODE.test(code);
}
