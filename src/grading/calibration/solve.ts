/** Solves A x = b by Gaussian elimination with pivoting; an unknown that the equations say nothing of is 0. */
export function solve(matrix: readonly ArrayLike<number>[], vector: ArrayLike<number>): number[] {
  const a = matrix.map((row, i) => [...Array.from(row), vector[i] ?? 0]);
  const size = a.length;
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < size; row += 1)
      if (Math.abs(a[row]?.[column] ?? 0) > Math.abs(a[pivot]?.[column] ?? 0)) pivot = row;
    const [top, other] = [a[column], a[pivot]];
    if (top === undefined || other === undefined) continue;
    a[column] = other;
    if (pivot !== column) a[pivot] = top;
    const divisor = other[column] ?? 0;
    if (divisor === 0) continue;
    for (let row = 0; row < size; row += 1) {
      const line = a[row];
      if (row === column || line === undefined) continue;
      const factor = (line[column] ?? 0) / divisor;
      if (factor !== 0)
        for (let k = column; k <= size; k += 1) line[k] = (line[k] ?? 0) - factor * (other[k] ?? 0);
    }
  }
  return a.map((row, i) => (row[i] ? (row[size] ?? 0) / (row[i] ?? 1) : 0));
}
