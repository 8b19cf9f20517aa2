/**
 * Words that express one relation in different forms: a question asks for the "director", the text says "directed by". Stems as the
 * analyser makes them. Hand-made from general knowledge of English, short on purpose; a match through a group counts less than the word itself.
 */
const GROUPS = `direct director filmmak
write wrote written writer author novelist screenwrit screenplay script penn
compos music score songwrit
produc produc product
born birth birthplac nativ
die death dead kill deceas pass
father son daughter mother parent child children
wife husband spous marri marriag wed
found establish creat start form founder creator foundat
invent inventor develop discov discoveri
locat situat lie based
capit seat
sing sang singer vocal vocalist record
play portray star role actor actress
win won winner victori champion beat defeat
popul inhabit resid
occup profess work job career politician
sport footbal basketbal hockey basebal tennis soccer cricket
genr style rock pop jazz thriller comedi drama
religion church cathol christian muslim islam buddhist jewish religi
colour color
countri nation
make made manufactur
own belong owner acquir bought
lead led leader head chief
mean defin definit refer
begin began start commenc
end finish conclud ceas
use purpos
caus reason result due becaus
call name known nicknam
larg largest biggest big
high highest tallest tall height
long length longest
cost price pay paid
live resid home
speak spoken languag
publish public publish releas
build built construct erect
paint painter artist
teach taught teacher
elect president
contain includ consist compos compris
happen occur took
premier releas air debut
old age
movi film
team club squad side franchis
song singl track hit
car automobil vehicl
diseas ill disord condit syndrom
war battl conflict
king queen monarch ruler emperor
currenc money
doctor physician
lawyer attorney
kill murder assassin
plane aircraft airplan
compani firm corpor busi
treat cure therapi treatment
weight weigh
salari wage earn incom
tv televis show seri
bought buy purchas acquir
novel book
ban prohibit illeg
jail prison
drug medicin medic
quit resign
distanc far mile kilomet
nicknam alia dub`;

const related = new Map<string, ReadonlySet<string>>();
for (const line of GROUPS.split("\n")) {
  const stems = line.split(" ");
  for (const stem of stems) related.set(stem, new Set([...(related.get(stem) ?? []), ...stems]));
}
const others = new Map(
  [...related].map(([term, group]) => [term, [...group].filter((other) => other !== term)]),
);
const NONE: readonly string[] = [];

/** Other stems that may stand for this one; empty for most words. */
export function relatedTerms(term: string): readonly string[] {
  return others.get(term) ?? NONE;
}
