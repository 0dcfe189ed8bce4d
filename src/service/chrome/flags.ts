/** What a Chrome is started with, beside its folders. Each is there to start faster, to stay quiet on the network, or to behave the same hidden and shown. */
const always = [
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-startup-window',
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
  '--disable-ipc-flooding-protection',
  '--disable-dev-shm-usage',
  '--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider,AutofillServerCommunication,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater',
  '--metrics-recording-only',
  '--mute-audio',
  '--no-service-autorun',
  '--no-pings',
  '--password-store=basic',
  '--use-mock-keychain',
  '--force-color-profile=srgb',
  '--window-size=1280,720',
];

export interface FlagChoices {
  userDataDir: string;
  headless: boolean;
  /** False for root and where a container forbids Chrome's sandbox. */
  sandbox: boolean;
  /** URL of a proxy for all that the browser asks. */
  proxyServer?: string | undefined;
}

/** The command line of a Chrome, without its executable. */
export function chromeFlags({ userDataDir, headless, sandbox, proxyServer }: FlagChoices): string[] {
  return [
    ...always,
    `--user-data-dir=${userDataDir}`,
    ...(headless ? ['--headless', '--disable-gpu', '--hide-scrollbars'] : []),
    ...(sandbox ? [] : ['--no-sandbox']),
    ...(proxyServer === undefined ? [] : proxyFlags(proxyServer)),
  ];
}

/** Without exception: loopback too, and no sockets of its own for WebRTC. */
function proxyFlags(proxyServer: string): string[] {
  return [
    `--proxy-server=${proxyServer}`,
    '--proxy-bypass-list=<-loopback>',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy',
  ];
}
