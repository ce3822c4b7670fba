/** Bytes that one request body may have. Clients read it from the feature flags. */
export const MAX_UPLOAD_SIZE = 104_857_600;

/** The server's half of the feature flags: `GET /features`, and the answer to a client's flags on its socket. */
export const serverFeatures = {
  supports_preview_metadata: true,
  max_upload_size: MAX_UPLOAD_SIZE,
};
