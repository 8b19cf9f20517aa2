/** Forty pairs of a question and a passage, eight questions with five passages each. Plain facts, so that nobody disputes the labels. */

export interface LabelledQuestion {
  question: string;
  /** States the answer. */
  relevant: readonly string[];
  /** The same subject, the same words, or neither; states no part of the answer. */
  irrelevant: readonly string[];
}

export const LABELLED: readonly LabelledQuestion[] = [
  {
    question: "At what temperature does water boil at sea level?",
    relevant: [
      "At sea level, water boils at 100 degrees Celsius (212 degrees Fahrenheit).",
      "The boiling point of water is 100 °C at a pressure of one atmosphere, which is that at sea level; on high mountains it is lower.",
    ],
    irrelevant: [
      "Water covers about 71 percent of the surface of the Earth, most of it in the seas.",
      "Sea level has risen by some 20 centimetres since 1900, measured by tide gauges.",
      "To boil an egg, put it into boiling water and wait for seven minutes.",
    ],
  },
  {
    question: "Who painted the Mona Lisa?",
    relevant: ["The Mona Lisa is a portrait by Leonardo da Vinci, begun in about 1503."],
    irrelevant: [
      "The Mona Lisa hangs in the Louvre in Paris, behind glass, and is seen by millions each year.",
      "The Mona Lisa was stolen from the museum in 1911 and found two years later.",
      "Girl with a Pearl Earring was painted by Johannes Vermeer in about 1665.",
      "Walls are painted with a roller, edges with a brush.",
    ],
  },
  {
    question: "How many chambers does the human heart have?",
    relevant: [
      "The human heart has four chambers: two atria above and two ventricles below.",
      "In people, as in all mammals, blood passes through the heart's two atria and two ventricles.",
    ],
    irrelevant: [
      "The human heart beats about 100,000 times a day.",
      "A heart attack happens when blood no longer reaches a part of the heart muscle.",
      "The chamber of commerce has four hundred members.",
    ],
  },
  {
    question: "In which year did the Berlin Wall fall?",
    relevant: ["On 9 November 1989 the Berlin Wall was opened, and crowds began to take it down."],
    irrelevant: [
      "The Berlin Wall was built in August 1961 and parted the city.",
      "Berlin is the capital of Germany and has 3.7 million inhabitants.",
      "The Great Wall of China is more than 20,000 kilometres long.",
      "In the fall, the leaves of the lime trees in Berlin turn yellow.",
    ],
  },
  {
    question: "What is the chemical symbol for gold?",
    relevant: [
      "Gold is a chemical element with the symbol Au, from the Latin aurum, and atomic number 79.",
    ],
    irrelevant: [
      "Gold is soft and does not rust, which is why it is used in jewellery.",
      "Silver is a chemical element with the symbol Ag and atomic number 47.",
      "A gold medal stands for the first place at the Olympic Games.",
      "The price of gold is given in dollars for a troy ounce.",
    ],
  },
  {
    question: "Which planet is the largest in the solar system?",
    relevant: [
      "Jupiter is the largest planet of the solar system: it has more mass than all the others together.",
      "With a diameter of 143,000 kilometres, Jupiter exceeds every other planet that goes round the Sun.",
    ],
    irrelevant: [
      "Mercury is the smallest planet in the solar system and the nearest to the Sun.",
      "Saturn's rings are made of ice and rock.",
      "The solar system came into being some 4.6 billion years ago.",
    ],
  },
  {
    question: "Is the tomato botanically a fruit?",
    relevant: [
      "In botany a tomato is a fruit, a berry to be exact, although cooks treat it as a vegetable.",
    ],
    irrelevant: [
      "Tomatoes came to Europe from South America in the 16th century.",
      "Tomato soup is made of tomatoes, onions and stock.",
      "A fruit salad of apples, pears and grapes keeps for a day.",
      "Botany is the science of plants.",
    ],
  },
  {
    question: "How long is a marathon in kilometres?",
    relevant: ["The marathon is a race over 42.195 kilometres, a distance that was fixed in 1921."],
    irrelevant: [
      "A half marathon is popular among amateurs, many of whom train for three months.",
      "The first modern marathon was run at the Olympic Games of 1896.",
      "Marathon is a town in Greece, northeast of Athens.",
      "Many runners of a marathon drink too little on the way.",
    ],
  },
];
