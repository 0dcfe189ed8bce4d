/** Features that are turned off, as Chrome names them. */
const disabledFeatures = [
  'Translate',
  'MediaRouter',
  'OptimizationHints',
  'DialMediaRouteProvider',
  'AutofillServerCommunication',
  'InterestFeedContentSuggestions',
  'CertificateTransparencyComponentUpdater',
  // Every window loads the suggestions of its address bar as pages of their own, which costs as much as starting Chrome.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
];

/** Flags for every Chrome: they speed up the start, reduce background traffic, or make headless and headed behave alike. */
const commonFlags = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-component-extensions-with-background-pages',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-sync',
  '--disable-quic',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-search-engine-choice-screen',
  '--disable-hang-monitor',
  '--disable-prompt-on-repost',
  '--disable-popup-blocking',
  '--disable-external-intent-requests',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // A page that it brings back loads nothing: clients that go back or forward wait for a load that never comes.
  '--disable-back-forward-cache',
  '--disable-dev-shm-usage',
  `--disable-features=${disabledFeatures.join(',')}`,
  '--metrics-recording-only',
  '--mute-audio',
  '--no-service-autorun',
  '--no-pings',
  '--password-store=basic',
  '--use-mock-keychain',
  '--force-color-profile=srgb',
  '--window-size=1280,720',
];

export interface FlagOptions {
  userDataDir: string;
  headless: boolean;
  /** False for root and in containers that don't allow Chrome's sandbox. */
  sandbox: boolean;
  /** Whether it only loads pages, those of several teams beside each other. */
  onlyLoadsPages?: boolean;
  /** URL of a proxy for all of the browser's requests. */
  proxyServer?: string | undefined;
}

/** Returns the command-line arguments of a Chrome that is driven over a pipe. */
export function chromeFlags({ userDataDir, proxyServer, ...mode }: FlagOptions): string[] {
  return [
    '--remote-debugging-pipe',
    '--no-startup-window',
    `--user-data-dir=${userDataDir}`,
    ...driverFlags(mode),
    ...(proxyServer === undefined ? [] : proxyFlags(proxyServer)),
  ];
}

/** Returns the command-line arguments of a Chrome that ChromeDriver starts, which adds those for its folder and its connection. */
export function driverFlags({
  headless,
  sandbox,
  onlyLoadsPages,
}: Omit<FlagOptions, 'userDataDir' | 'proxyServer'>): string[] {
  return [
    ...commonFlags,
    // One page's endless navigations would use up the time of all others. A session's code may navigate as often as it wants.
    ...(onlyLoadsPages ? onlyProxied : ['--disable-ipc-flooding-protection']),
    ...(headless ? ['--headless', '--disable-gpu', '--hide-scrollbars'] : []),
    ...(sandbox ? [] : ['--no-sandbox']),
  ];
}

/** Keeps WebRTC from opening direct sockets. */
const onlyProxied = [
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** Routes everything through the proxy, including loopback. */
function proxyFlags(proxyServer: string): string[] {
  return [`--proxy-server=${proxyServer}`, '--proxy-bypass-list=<-loopback>', ...onlyProxied];
}
