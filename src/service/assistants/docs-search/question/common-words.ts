import { lazy } from '../../../platform/lazy.ts';
import { stem } from './terms.ts';

/** Words that say nothing about what is asked. */
const stopWords = stems(
  `a an the this that these those some any of in on at to from by for with within into onto about over under between and or but nor so if then else
  when where why what which who whom whose how is are was were be been being am do does did doing done don't doesn't didn't isn't aren't can can't
  cannot could should shall will would may might must i me my mine myself we us our you your he she it its it's they them their there here
  please want need like know tell say show explain help figure understand mean means try tries trying possible possibly way ways thing things something
  anything really actually just also too very much even still yet again now get gets getting give gives given have has had having let lets put puts go
  goes going come comes use uses used using work works working happen happens hello hi thanks thank ok okay as not no yes up out off per via
  s t d m re ve ll im i'm i'd i've what's where's who's how's there's that's let's whats etc e.g i.e vs one ones bug exactly good lot lots
  supposed able because since while during than only everything nothing wonder wondering seem seems think call called see seeing
  first people person user users someone somebody anyone everyone after before without every all each other others another it'll bit
  whether through around instead across toward towards upon against unless though although however therefore among along beyond behind near till amid beside despite
  dont doesnt didnt isnt arent wasnt cant couldnt wont wouldnt shouldnt havent hasnt hadnt whats wheres hows whos thats theres ive youre theyre
  api service web data server`,
);

/** Words that tell little: without them a question asks the same. */
const weakWords = stems(
  `find check make sort single request requests http layout copy copies row rows hit prevent unknown form widget screen colleague
  coworker bot robotically cheap expensive recommended suggestion newbie pro tip trick hack quirk gotcha caveat nuance
  simple simply easy easily certain particular specific specify given currently own real right correct whole actual many few several
  different kind kinds general normal usual common typical proper properly main basic available manage handle allow support big small new old time times
  response endpoint field parameter property value set setting option choose pick define provide offer supply include contain hold tells mean describe look
  turn back part piece example detail details info information quickly fast best better default maximum minimum max min limit long short size number amount
  smallest largest biggest shortest longest upper lower bound able access accidentally achieve across add additional address adjust advance afterwards against
  ago ahead almost alone along already although always among angry annoying answer anymore anyway apart appear apply approach around arrange arrive ask aspect
  assume attempt automatically avoid await aware away bad base become bed begin behave behavior behaviour behind being believe belong below beside big blank
  bother bottom break bring broken build button buy care careful carefully case cause chance change clear clever click close code cold come comfortable compare
  complain complete completely concern confused confusing consider contains convenient cool count couple course cover crazy create curious cut dare deal
  debug decide deep definitely depend describe deserve develop developer developing difference difficult direct directly discover distinct double doubt down
  drop during each earlier early edge effect effort either else emit empty enough ensure enter entire entirely entry even eventually ever exact example
  except excellent exist expect explain express extra face fact fail fair fall familiar far feel fill final finally fine finish fire fit fix follow forever
  forget form forth forward free frequently fresh friend full fully fun further game generally gentle glad great group grow guess guide guy half halt hand
  hang happy hard hardly hate head hear heard heavy helpful hence hide high hint hit home honest hope huge human idea ideally identify immediately
  important impossible improve indicate inform inside instance instantly instead intend intended interest involve issue item join jump kept kick lack large
  last late later latest layer lead leak learn least leave left less letter level life light like likely line link list listen little local locate location
  longer lose loud love low lucky manner mark match matter maybe meaning meanwhile medium meet mention mess mind minor miss missing mix moment more mostly
  move must near nearly necessary necessarily neither never nice nobody none nor normally note notice nowhere obtain obvious obviously occasionally occur odd
  often older once only onto opposite order ordinary original otherwise ought outside overall owner pain pair perfect perfectly perform perhaps permanently
  place plain plenty point poor position possibly potential practice precise precisely prefer prepare present press pretty prevent previous previously
  prior private probably proceed process produce project promise public pull purpose push quick quiet quite raise random range rare rarely rather reach 
  read readily ready reason reasonable receive recent recently recognise recognize recommend record reduce refer regard regular regularly reject relate related
  relative relevant reliable remain repeat report reported replace report represent require required resolve respect respond rest reporting restrict result reveal rid rough
  roughly round route rule rush sadly safe safely satisfied say scenario scope second secret section select separate separately serious serve several shape
  shared sharing sharp short show sight sign silly similar similarly simple since situation skip slight slightly slow slowly small smart smooth somehow
  somewhat somewhere soon sorry special specifically spend spot stage stand standard start stated stay steady step stick stories straight strange strictly
  strong struggle stuck stuff style subject such sudden suddenly suggest suitable sum supposed sure surely surprise surprising suspect switch take talk
  target team temporarily temporary tend term terrible then therefore think thorough thought tidy tie tight tiny tired today together tomorrow tonight top
  topic total totally touch toward track treat trick tricky trigger trouble true truly trust turn twice type typing ugly unable underlying unexpected
  unexpectedly unfortunately unless unlike until unusual upon usual usually vanish various vast view visible wait wake walk warm warn waste watch weak weird
  accordingly actually affect afford aim allowed alternative analyze announce anonymous anticipate apparently appropriate approve argue aside assist associate assure
  attach attempt attention attractive await awkward backwards basic basically beforehand beneath benefit bigger bind blindly borrow brief briefly broad bunch busy
  calculate capability carry casual category caution certainly circumstance claim clarify classic clean closely coding collection combination combine comment commonly
  communicate comparison compatible concept conclude condition confirm conform conjunction consequence consequently considerable consistent constantly
  construct contact contrast contribute convenience conversation correctly corresponding criteria critical crucial damage decent decision
  declare defect deliberate demand denote deny desire destination detect determine diagnose differ differently dimension disappear disappoint
  discuss dislike distant distribute divide draft drag drastically dual due duty dynamic eager efficient elegant element eliminate emphasis employ enhance
  enormous enthusiast entity equal equivalent especially essential essentially estimate evaluate evident examine exceed excited exclusive exercise
  exhaust expand expert explicit explicitly explore expose extend extensive extent extreme facilitate factor failing famous fascinating fashion favor feasible feedback
  feeling finding fixed flexible focus following forced foremost foresee formal formerly fortunate foundation frequent frustrating fundamental funny future gain gather genuine
  goal govern gradually grant granular grateful greatly guidance guideline handling handy happening harm headache health hesitate highlight hopefully horrible hundred hurry
  identical illustrate imagine impact implement implementation imply impose impression incoming inconvenient incorrect increase independent independently indeed inevitable influence
  initial initially initiate inner innovative input inquiry insight insist inspect instruct intelligent intention interesting internal interpret interval introduce
  investigate invite irrelevant jargon judge junior keen keeping kindly knowledge lacking landing largely latter lazy leading leftover lesson liberty lifecycle lightweight
   literally logic logical loosely loss main mainly maintain major majority manage mandatory manual massive material maximal mechanism mental middle might
  mimic minimal misconfigured mistake mode moderate modern modify monday motivation multiple mutual mystery naming narrow native natural nature nearby neat negative nevertheless newbie
  newcomer noisy noticeable notify numerous objective observe occasion ongoing openly operation opinion opportunity optimal organize orient outcome outline outstanding
  overlap overview owing painful partial partially participate partly pattern peculiar peer perfect period permit personally perspective phase phrase physical picky planned
  plausible pleasant pleasure plenty pop popular portion positive possess powerful prebuilt precaution predict presence presumably previously primary principle priority privilege
  problematic procedure productive profound programmatic programmatically progress prominent promising prone properly proportion propose protect prove provided publish
  puzzled qualify quality quit quote rapid rapidly rather ratio reaction realistic realize reasonably recall reckon recover reduction referring reflect refresh regardless regret
  reject relation relevance reliability reliably rely remark remarkable remedy remind removal repair repeatedly replacement reputation requester requirement rescue research
  reserve resource responsible reveal review revisit reward risk robust role root routine ruin sake satisfy scale scan scheme
  science seek seldom sense sensible sensitive sentence serial serve seriously settle severe shift shortcoming significant significantly simplify simultaneously
  situation skill slice smarter sophisticated sought space span speaking specified speed spread stable standing standpoint statement static step stick
  strategy strength strict struggle sub subsequent substantial successive sudden sufficient suit summary superior support suppose surface surround survey suspicious swap sync systematic
  tailor talented target technical technically technique technology temporary terminology thanks theoretical theory thorough thrill tightly tip tolerance tone tough trace trade tradition
  transfer transition transparent trivial typically ultimate unclear understanding understandable unfamiliar unified unify uniform universal unlikely unnecessary unplanned
  unsure unusual update upfront urgent usable useful useless utilize utility vague valid valuable variant variety verbose versatile viable vital vs wanting
  whatever whatsoever whenever whereas wherever widespread wildly within wondering workaround workflow worthwhile writing
  guarantee guaranteed question questions emulate emulation simulate amount flag json string integer boolean object array payload reply parameters attribute purpose mandatory optional signalled mean meaning type types kind
  bot boss client shop tool job besides beside interfere moment lately anyhow program programmer engineer folk guy colleague teammate friend app
  application product website site story thread post forum morning evening night hello dear cheers regards amazing awesome
  cannot gonna wanna gotta kinda stuff etc foo bar baz test testing tests tried example.com localhost production staging environment demo prototype
  welcome while whole wide willing wise wish wonder word worry worse worst wrong yesterday yet`,
);

function stems(words: string): () => ReadonlySet<string> {
  return lazy(() => new Set(words.split(/\s+/).flatMap((word) => [word, stem(word)])));
}

export function isWeakWord(word: string): boolean {
  return weakWords().has(stem(word.toLowerCase()));
}

export function isStopWord(word: string): boolean {
  const lower = word.toLowerCase();
  return stopWords().has(lower) || stopWords().has(stem(lower));
}

/** Whether a question may not be English: it has letters that English lacks, or hardly any of its most common words. */
export function mayNotBeEnglish(question: string): boolean {
  if (/[^\P{L}A-Za-z]/u.test(question)) return true;
  const words = question.match(/[a-z']+/gi) ?? [];
  return words.length >= 3 && words.filter(isStopWord).length <= words.length / 4;
}
