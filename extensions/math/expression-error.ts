/** The error in an expression and its position (from 1). */
export class ExpressionError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    // At the end of the first clause.
    super(message.replace(/[.;:](?=\s|$)/, ` at character ${position}$&`));
    this.name = 'ExpressionError';
    this.position = position;
  }
}
