/**
 * Function words: they carry no topic, so neither an index nor a judge counts them.
 *
 * One list serves all languages, because short texts cannot be told apart by language reliably and a text must be analysed the same way
 * whether it is stored, searched or judged. So words of other Latin-script languages are listed only where they are no content words of
 * English ("und", "les", "della", but not "die", "was" or "son").
 */
const ENGLISH = `a about above after again against all also am an and any are aren't as at be because been before being below between both but by
can can't cannot could couldn't did didn't do does doesn't doing don't down during each either else etc ever every few for from further had hadn't has
hasn't have haven't having he her here hers herself him himself his how however i i'm i've if in into is isn't it its itself just let let's
many may me might mine more most much must my myself no nor not now of off often on once one's only or other our ours ourselves out over own per
please quite rather really same shall she should shouldn't since so some such than that the their theirs them themselves then there these they this those
though through thus to too toward towards under until unto up upon us very via was wasn't we were weren't what whatever when where whether which while
who whom whose why will with within without won't would wouldn't yes yet you your yours yourself yourselves
am doesnt dont isnt wasnt didnt cant wont im ive whats s t d ll m re ve eg ie http https www`;

const GERMAN = `aber als auch auf aus bei beim bis bist da dann das dass daß dazu dein dem den denn der des deren dessen dich dir doch dort du durch ein eine einem einen
einer eines er es euch euer für gegen habe haben hatte hatten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im ist ja jede jedem jeden jeder jedes jene
kann kein keine keinem keinen keiner können mein meine mich mir mit nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner
seit sich sie sind soll sollte sondern sowie über um und uns unser unter viel viele vielen vom von vor wann warum weil welche welchem welchen welcher welches wem
wen wenn wer werden wessen wie wieso wir wird wo woher wohin wurde wurden würde zu zum zur zwischen`;

const ROMANCE = `au aux avec ce ces cette dans de des du elle elles en est et être il ils je la le les leur leurs lui mais même ne nous ou où par pas pour
qu que quel quelle quels quelles qui quoi sa sans ses sont sur une vos vous
al como con cuál cuáles cuándo cuánto del dónde ella ellos era es esta está este fue ha hay las lo los más muy pero porque qué quién se ser si sin sobre su sus
también un una uno unos y
che chi col come cui da dal dalla degli dei del della delle dello di dove e è ed fu gli ho il io i la le loro ma nel nella nelle non per perché più quale quali quando quanto
sono sua sue sul sulla suo tra un una
ao aos as até com da das do dos ele ela em entre foi isso mas mesmo meu muito na nas no nos não num numa o os ou pela pelo por quem são
seu também uma você`;

const DUTCH_NORDIC = `aan bij deze dit een het hoe ik is maar naar niet nog ook op te tot uit van voor waar wanneer wat welke wie zijn zich
och att det som på är av för den till inte med om hur vad vem`;

const ARABIC = `في من على إلى الى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى أين اين كيف لماذا من هو هي هم هل كم أو او ثم لا لم لن ليس قد كان كانت
يكون تكون أن ان إن كل بعض بعد قبل عند بين حتى إذا اذا أي اي و`;

const CHINESE = `的 了 和 与 及 或 在 是 有 为 于 对 中 就 也 都 不 被 把 从 到 这 那 哪 哪里 哪个 哪些 哪儿 什么 谁 何 何时 怎么 怎样 如何 为什么 多少 几 吗 呢 吧 啊 着 地 得 之 其 他 她 它 们
我 你 他们 我们 你们 这个 那个 一个 以 而 并 等 上 下 个 所`;

const JAPANESE = `の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あっ よう また もの という あり まで られ なる へ か だ
これ それ あれ どこ だれ 誰 何 いつ なぜ どう です ます でし まし`;

const RUSSIAN = `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему теперь когда даже ну
ли если уже или ни быть был него до вас нибудь опять вам ведь там потом себя может они тут где есть надо ней для мы тебя их чем была сам чтоб без чего
кто какой какая какие это этот эта эти который которая которые`;

/** Words of other languages that an English text needs for its content. */
const KEPT_FOR_ENGLISH = new Set(["die", "son", "pie", "war", "hat", "man", "note"]);

function listOf(...lists: string[]): Set<string> {
  return new Set(
    lists
      .join(" ")
      .split(/\s+/u)
      .filter((word) => word !== "" && !KEPT_FOR_ENGLISH.has(word)),
  );
}

/** Lower-cased, as written: with apostrophes and diacritics. */
export const STOP_WORDS: ReadonlySet<string> = listOf(
  ENGLISH,
  GERMAN,
  ROMANCE,
  DUTCH_NORDIC,
  ARABIC,
  CHINESE,
  JAPANESE,
  RUSSIAN,
);
