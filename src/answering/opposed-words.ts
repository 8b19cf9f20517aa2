/**
 * Words that exclude one another: of two opposites, or of two members of one kind, a sentence that has the one does not answer a question that has
 * the other. Common words, by hand from general knowledge of the language. Wider than the opposites that a claim is checked by: there one wrong
 * pair calls a right answer contradicted, here it takes a little of the trust in a sentence.
 */
import { analyse } from "../text/analyse.js";

const OPPOSITES = `increase/decrease increased/decreased increasing/decreasing rise/fall rose/fell rising/falling grow/shrink grew/shrank raise/lower
raised/lowered expand/contract expanded/contracted expansion/contraction gain/lose gained/lost gain/loss win/lose won/lost winner/loser
victory/defeat success/failure succeed/fail succeeded/failed successful/unsuccessful accept/reject accepted/rejected accepted/refused
accept/refuse acceptance/rejection allow/prohibit allowed/prohibited allow/forbid allowed/forbidden allow/prevent allowed/prevented
permit/forbid permitted/forbidden permitted/prohibited legal/illegal lawful/unlawful support/oppose supported/opposed support/opposition
supporter/opponent supporters/opponents agree/disagree agreed/disagreed agreement/disagreement approve/disapprove approved/rejected
approved/disapproved praise/criticize praised/criticized praise/criticism like/dislike liked/disliked love/hate loved/hated
encourage/discourage encouraged/discouraged help/hinder helped/hindered promote/hinder promote/prevent cause/prevent caused/prevented
begin/end began/ended beginning/end start/end started/ended start/stop started/stopped start/finish started/finished open/close
opened/closed opening/closing continue/stop continued/stopped create/destroy created/destroyed creation/destruction build/destroy
built/destroyed build/demolish built/demolished establish/abolish established/abolished introduce/abolish introduced/abolished
found/dissolve founded/dissolved form/dissolve formed/dissolved add/remove added/removed include/exclude included/excluded
including/excluding enter/leave entered/left arrive/depart arrived/departed arrival/departure join/leave joined/left come/go came/went
give/take gave/took given/taken send/receive sent/received buy/sell bought/sold lend/borrow import/export imported/exported
imports/exports pull/push attract/repel attracted/repelled attractive/repulsive attack/defend attacked/defended attacked/protected
offense/defense offensive/defensive war/peace friend/enemy friends/enemies ally/enemy allies/enemies hire/fire hired/fired
employed/unemployed employment/unemployment strong/weak stronger/weaker strongest/weakest strength/weakness strengthen/weaken
strengthened/weakened high/low higher/lower highest/lowest big/small large/small larger/smaller largest/smallest bigger/smaller
biggest/smallest long/short longer/shorter longest/shortest tall/short tallest/shortest wide/narrow wider/narrower widest/narrowest
thick/thin deep/shallow heavy/light heavier/lighter heaviest/lightest fast/slow faster/slower fastest/slowest quickly/slowly rapid/slow
rapidly/slowly old/new old/young older/younger oldest/youngest oldest/newest ancient/modern early/late earlier/later earliest/latest
first/last before/after hot/cold hotter/colder hottest/coldest warm/cool warmer/cooler warmest/coolest warmest/coldest wet/dry
wettest/driest hard/soft hard/easy harder/easier difficult/easy difficult/simple simple/complex rich/poor richer/poorer richest/poorest
wealthy/poor wealth/poverty good/bad better/worse best/worst positive/negative true/false right/wrong correct/incorrect good/evil
safe/dangerous clean/dirty full/empty light/dark bright/dark black/white day/night north/south east/west northern/southern
eastern/western northeast/southwest northwest/southeast northeast/northwest southeast/southwest left/right top/bottom upper/lower
up/down upward/downward above/below over/under inside/outside inner/outer interior/exterior internal/external inland/coastal urban/rural
near/far nearest/farthest closest/farthest front/back forward/backward horizontal/vertical more/less more/fewer most/least most/fewest
maximum/minimum majority/minority all/none always/never many/few common/rare common/uncommon usual/unusual frequent/rare
frequently/rarely often/rarely often/seldom popular/unpopular famous/unknown known/unknown certain/uncertain possible/impossible
likely/unlikely able/unable natural/artificial organic/inorganic active/passive active/inactive alive/dead living/dead life/death
birth/death born/died male/female men/women man/woman boy/girl boys/girls husband/wife father/mother son/daughter sons/daughters
brother/sister king/queen prince/princess married/divorced single/married married/unmarried public/private domestic/foreign
native/foreign national/international local/global individual/collective permanent/temporary constant/variable fixed/variable
static/dynamic direct/indirect directly/indirectly formal/informal official/unofficial voluntary/involuntary voluntary/compulsory
optional/required optional/mandatory voluntary/mandatory civilian/military religious/secular rational/irrational regular/irregular
equal/unequal equality/inequality same/different similar/different similarity/difference similarities/differences alike/different
parallel/perpendicular finite/infinite limited/unlimited divisible/indivisible continuous/discrete linear/nonlinear solid/liquid
acid/base acidic/basic toxic/nontoxic visible/invisible stable/unstable stability/instability dependent/independent
dependence/independence innocent/guilty guilty/acquitted convicted/acquitted victim/perpetrator teacher/student teachers/students
employer/employee employers/employees parent/child parents/children adult/child adults/children master/slave ruler/subject
conqueror/conquered predator/prey liberal/conservative liberals/conservatives democratic/authoritarian democracy/dictatorship
optimistic/pessimistic advantage/disadvantage advantages/disadvantages benefit/harm benefits/drawbacks beneficial/harmful
helpful/harmful profit/loss supply/demand cheap/expensive cheaper/expensive income/expense credit/debit debtor/creditor asset/liability
efficient/inefficient effective/ineffective important/unimportant significant/insignificant relevant/irrelevant necessary/unnecessary
sufficient/insufficient complete/incomplete perfect/imperfect mature/immature patient/impatient polite/impolite honest/dishonest
loyal/disloyal loyal/treacherous obey/disobey trust/distrust connect/disconnect connected/disconnected appear/disappear
appeared/disappeared cover/uncover lock/unlock pack/unpack tie/untie load/unload unite/divide united/divided unify/divide
combine/separate combined/separated together/apart integrate/segregate integrated/segregated attach/detach remember/forget
remembered/forgotten find/lose found/lost discover/conceal reveal/hide revealed/hidden show/hide shown/hidden absorb/emit
absorbed/emitted absorb/release absorbed/released inhale/exhale freeze/melt freezing/melting freezing/boiling evaporate/condense
dissolve/precipitate oxidation/reduction ascend/descend ascending/descending advance/retreat advanced/retreated invade/withdraw
invaded/withdrew deploy/withdraw capture/release captured/released arrested/released imprisoned/freed imprisoned/released
conquer/surrender conquered/surrendered survive/die survived/died survived/perished kill/save killed/saved appointed/dismissed
elected/defeated promoted/demoted crowned/deposed praised/condemned blessed/cursed innocent/sinful heaven/hell sacred/profane
orthodox/heretical monarchy/republic import/produce consumer/producer consumers/producers consume/produce consumed/produced spend/earn
spent/earned spend/save spent/saved teach/learn taught/learned question/answer ask/answer asked/answered speak/listen read/write
cause/effect cause/result input/output encode/decode encrypt/decrypt compress/decompress compile/interpret synchronous/asynchronous
centralized/decentralized centralised/decentralised wired/wireless analog/digital manual/automatic manually/automatically host/guest
passenger/driver predecessor/successor ancestor/descendant ancestors/descendants senior/junior superior/inferior major/minor
primary/secondary main/minor original/copy theory/practice theoretical/practical theoretical/experimental quality/quantity
qualitative/quantitative abstract/concrete general/specific generally/specifically objective/subjective sunrise/sunset morning/evening
summer/winter spring/autumn spring/fall eldest/youngest`;

/** Kinds, between strokes. */
const KINDS = `january february march april may june july august september october november december / monday tuesday wednesday thursday friday
saturday sunday / spring summer autumn winter / red blue green yellow black white orange purple pink brown grey gray / northern southern
eastern western central northeastern northwestern southeastern southwestern / europe asia africa america australia antarctica / european
asian african american australian / france germany england britain scotland ireland wales spain portugal italy greece turkey russia
poland austria hungary switzerland netherlands holland belgium denmark norway sweden finland iceland china japan korea vietnam india
pakistan iran iraq israel egypt syria lebanon jordan kuwait libya algeria morocco sudan ethiopia kenya tanzania uganda nigeria ghana
somalia mexico canada brazil argentina chile peru colombia venezuela ecuador cuba australia indonesia malaysia philippines thailand
afghanistan ukraine romania bulgaria serbia croatia czechoslovakia yugoslavia mongolia tibet rwanda congo zimbabwe / french german
english british scottish irish welsh spanish portuguese italian greek turkish russian polish austrian hungarian swiss dutch belgian
danish norwegian swedish finnish chinese japanese korean vietnamese indian pakistani iranian persian iraqi israeli jewish egyptian
syrian arab arabic libyan algerian moroccan ethiopian kenyan tanzanian ugandan nigerian somali mexican canadian brazilian argentine
chilean peruvian colombian venezuelan cuban indonesian malaysian filipino thai afghan ukrainian romanian bulgarian serbian croatian
mongolian mongol tibetan roman norman norse viking saxon byzantine ottoman american / london paris berlin rome madrid moscow vienna
warsaw tokyo beijing washington boston chicago philadelphia houston dallas miami seattle denver detroit atlanta / california texas
florida virginia ohio michigan illinois nevada oregon arizona colorado georgia carolina massachusetts pennsylvania maryland kentucky
tennessee alabama louisiana / physics chemistry biology mathematics geology astronomy economics psychology sociology philosophy history
geography medicine engineering law literature linguistics theology / christianity islam judaism buddhism hinduism taoism confucianism
atheism / christian muslim jewish buddhist hindu taoist / catholic protestant lutheran anglican methodist baptist calvinist orthodox /
oxygen hydrogen nitrogen carbon helium neon argon sulfur phosphorus chlorine fluorine iron copper gold silver lead zinc tin aluminum
mercury nickel uranium platinum magnesium sodium potassium calcium silicon / wood stone brick concrete glass steel iron plastic paper
leather cotton wool silk / solid liquid gas plasma / gravity magnetism electricity friction pressure heat light sound / mass weight
speed velocity acceleration force energy power momentum volume density temperature length height depth width / second minute hour day
week month year decade century millennium / seconds minutes hours days weeks months years decades centuries / inch foot feet yard mile
metre meter kilometre kilometer / hundred thousand million billion trillion / king queen prince princess emperor empress duke duchess
count earl baron pope bishop archbishop cardinal priest monk knight president chancellor governor mayor senator minister ambassador
general admiral colonel captain / teacher student doctor nurse lawyer judge engineer architect painter poet composer philosopher
physicist chemist biologist mathematician astronomer geologist economist historian novelist sculptor musician actor singer farmer
merchant soldier sailor pharmacist journalist explorer / city town village county state country continent province district region /
river lake sea ocean mountain desert forest island valley glacier canyon swamp / church cathedral mosque synagogue temple castle palace
fortress museum library theatre theater stadium hospital school university / radio television newspaper magazine film book internet /
car bus train tram ship boat airplane aircraft helicopter bicycle horse / army navy marines police / democracy monarchy republic empire
dictatorship communism socialism capitalism fascism feudalism / communist socialist capitalist fascist liberal conservative labour
democrat republican / heart brain liver kidney lung stomach skin blood bone muscle eye ear nose / bacteria virus fungi parasite plant
animal mammal bird fish insect reptile amphibian human / dog cat horse cow sheep pig goat chicken / wheat rice corn maize barley potato
sugar cotton coffee tea tobacco cocoa / football basketball baseball hockey tennis cricket rugby soccer golf swimming / earth mars venus
jupiter saturn mercury neptune uranus moon sun / science art music dance drama sport / morning afternoon evening night noon midnight /
executive legislative judicial / federal state local municipal / cube square circle triangle sphere`;

/** Terms by what they exclude. */
let opposites: ReadonlyMap<string, ReadonlySet<string>> | undefined;
let kinds: ReadonlyMap<string, readonly ReadonlySet<string>[]> | undefined;

const termOf = (word: string): string => analyse(word)[0]?.term ?? word;

function readOpposites(): ReadonlyMap<string, ReadonlySet<string>> {
  const read = new Map<string, Set<string>>();
  for (const pair of OPPOSITES.split(/\s+/u)) {
    const [left = "", right = ""] = pair.split("/").map(termOf);
    // Stemming makes one of some pairs.
    if (left === right) continue;
    read.set(left, (read.get(left) ?? new Set()).add(right));
    read.set(right, (read.get(right) ?? new Set()).add(left));
  }
  return read;
}

function readKinds(): ReadonlyMap<string, readonly ReadonlySet<string>[]> {
  const read = new Map<string, Set<string>[]>();
  for (const line of KINDS.split("/")) {
    const kind = new Set(line.trim().split(/\s+/u).map(termOf));
    for (const term of kind) read.set(term, [...(read.get(term) ?? []), kind]);
  }
  return read;
}

/** An opposite of the term, both as the analyser makes them, is among `others`. */
export function hasOpposite(term: string, others: ReadonlySet<string>): boolean {
  return [...((opposites ??= readOpposites()).get(term) ?? [])].some((other) => others.has(other));
}

/** Another of the term's kind (another month, country, metal) is among `others`. */
export function hasSibling(term: string, others: ReadonlySet<string>): boolean {
  return ((kinds ??= readKinds()).get(term) ?? []).some((kind) => [...kind].some((other) => other !== term && others.has(other)));
}
