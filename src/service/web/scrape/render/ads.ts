/** Domains of the most common ad and tracking networks. */
const domains = new Set(
  `2mdn.net 33across.com 3lift.com adcolony.com addthis.com adform.net admob.com adnxs.com adroll.com adsafeprotected.com
  adservice.google.com adsrvr.org adsymptotic.com adtechus.com advertising.com agkn.com amazon-adsystem.com amplitude.com
  amung.us app-measurement.com appnexus.com appsflyer.com atdmt.com bat.bing.com bidswitch.net bluekai.com bounceexchange.com
  bttrack.com buysellads.com carbonads.com carbonads.net casalemedia.com chartbeat.com chartbeat.net clarity.ms clicktale.net
  connect.facebook.net contextweb.com crazyegg.com creativecdn.com criteo.com criteo.net crwdcntrl.net demdex.net doubleclick.net
  doubleverify.com effectivemeasure.net everesttech.net exelator.com exoclick.com eyeota.net fullstory.com
  google-analytics.com googleadservices.com googlesyndication.com googletagmanager.com googletagservices.com gumgum.com
  heapanalytics.com hotjar.com hotjar.io id5-sync.com imrworldwide.com indexww.com inmobi.com insightexpressai.com
  krxd.net kissmetrics.com liadm.com lijit.com liveramp.com loopme.me mathtag.com mc.yandex.ru media.net mediavine.com mgid.com
  mixpanel.com moatads.com mookie1.com mouseflow.com narrativ.com newrelic.com nr-data.net omtrdc.net onetag-sys.com openx.net
  optimizely.com outbrain.com parsely.com pardot.com permutive.com popads.net popcash.net propellerads.com pubmatic.com
  quantcast.com quantcount.com quantserve.com revcontent.com rfihub.com rlcdn.com rubiconproject.com scorecardresearch.com
  segment.com segment.io serving-sys.com sharethis.com sharethrough.com simpli.fi sitescout.com smartadserver.com smaato.net
  snap.licdn.com sonobi.com spotxchange.com statcounter.com taboola.com tapad.com teads.tv tealiumiq.com tidaltv.com
  tribalfusion.com turn.com undertone.com unrulymedia.com vertamedia.com yieldmo.com zedo.com zemanta.com`
    .trim()
    .split(/\s+/),
);

/** Returns whether a host belongs to an ad or tracking network. */
export function isAdHost(host: string): boolean {
  let name = host.toLowerCase();
  for (;;) {
    if (domains.has(name)) return true;
    const dot = name.indexOf('.');
    if (dot === -1) return false;
    name = name.slice(dot + 1);
  }
}
