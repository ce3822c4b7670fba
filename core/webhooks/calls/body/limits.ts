/** How much a call may bring: bytes. */
export interface BodyLimits {
  /** Of a body that is parsed as one (`N8N_PAYLOAD_SIZE_MAX`). */
  parsed: number;
  /** Of a body that is a file, and of a form with all its files (`N8N_FORMDATA_FILE_SIZE_MAX`). */
  files: number;
}
