const WORDS = { en: 'Hello', de: 'Guten Tag', pt: 'Olá' };

export function greetingFor(person: string, language: keyof typeof WORDS): string {
  return `${WORDS[language]}, ${person}!`;
}
