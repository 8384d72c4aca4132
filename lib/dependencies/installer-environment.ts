/**
 * The environment of an installer: what it needs to start, to reach an index through a proxy and to verify its certificate. Nothing
 * else, so that neither the host's secrets nor those of extensions reach it. Settings that would move an install or run scripts are
 * left out: `PIP_TARGET`, `npm_config_prefix`, …
 */
const ALWAYS =
  /^(?:PATH|HOME|USERPROFILE|LANG|LC_\w+|TZ|TMPDIR|XDG_CACHE_HOME|XDG_CONFIG_HOME|XDG_CONFIG_DIRS|XDG_DATA_HOME|SYSTEMROOT|APPDATA|LOCALAPPDATA)$/;
const REACHING =
  /^(?:https?_proxy|all_proxy|no_proxy|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|NETRC)$/i;
const PIP =
  /^PIP_(?:INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|FIND_LINKS|TRUSTED_HOST|PROXY|CERT|CLIENT_CERT|CACHE_DIR|NO_CACHE_DIR|TIMEOUT|DEFAULT_TIMEOUT|RETRIES|CONFIG_FILE|CONSTRAINT|KEYRING_PROVIDER|PRE|DISABLE_PIP_VERSION_CHECK)$/;
const UV = /^UV_(?!PROJECT|TARGET|PREFIX|SYSTEM_PYTHON|PYTHON$|NO_BUILD|NO_BINARY|WORKING|ENV_FILE|REQUIRE_HASHES|NO_VERIFY)\w+$/;
const NPM =
  /^npm_config_(?:registry|.*:registry|.*:_\w+|@\w.*|proxy|https?_proxy|noproxy|cafile|ca|strict_ssl|cache|offline|prefer_offline|userconfig|globalconfig|fetch_\w+|maxsockets|before|min_release_age|\/\/.*)$/i;

export function installerEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const chosen = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && [ALWAYS, REACHING, PIP, UV, NPM].some((pattern) => pattern.test(entry[0])),
  );
  return Object.fromEntries(chosen);
}
