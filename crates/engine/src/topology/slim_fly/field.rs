//! Finite fields GF(q), q a power of a prime p.
//!
//! An element is a polynomial in x of a degree below k, where q = p^k, its coefficients the digits of
//! a number to the base p: GF(p) are the residues modulo p. x^k equals the least such polynomial, by
//! number, that makes x a primitive element: then the powers of x are all elements but 0, so each has
//! an inverse, and the ring is a field.

/// The field of q elements.
pub struct Field {
    p: u32,
    q: u32,
    /// By exponent: the power of the primitive element.
    powers: Vec<u32>,
    /// By element but 0: the exponent.
    logs: Vec<u32>,
}

impl Field {
    /// The field of q elements, at least 3; none if q is no power of a prime.
    pub fn new(q: u32) -> Option<Self> {
        let p = (2..=q).find(|factor| q.is_multiple_of(*factor))?;
        let mut rest = q;
        while rest.is_multiple_of(p) {
            rest /= p;
        }
        if rest > 1 {
            return None;
        }
        (1..q).find_map(|modulus| Self::with_primitive(p, q, modulus))
    }

    /// The same where x^k equals `modulus`, if x is a primitive element then.
    fn with_primitive(p: u32, q: u32, modulus: u32) -> Option<Self> {
        let mut field = Self { p, q, powers: Vec::new(), logs: vec![0; q as usize] };
        let mut power = 1;
        while field.powers.is_empty() || power != 1 {
            // Powers that come to 0, or to one they have been at, never come to 1.
            if power == 0 || field.powers.len() == q as usize {
                return None;
            }
            field.logs[power as usize] = field.powers.len() as u32;
            field.powers.push(power);
            let (highest, others) = (power / (q / p), power % (q / p));
            power = field.add_multiple(others * p, modulus, highest);
        }
        (field.powers.len() as u32 == q - 1).then_some(field)
    }

    /// a + factor · b, digit by digit.
    fn add_multiple(&self, mut a: u32, mut b: u32, factor: u32) -> u32 {
        let (mut sum, mut place) = (0, 1);
        while a > 0 || b > 0 {
            sum += (a % self.p + factor * (b % self.p)) % self.p * place;
            place *= self.p;
            (a, b) = (a / self.p, b / self.p);
        }
        sum
    }

    /// The sum of two elements.
    pub fn add(&self, a: u32, b: u32) -> u32 {
        self.add_multiple(a, b, 1)
    }

    /// Their difference.
    pub fn subtract(&self, a: u32, b: u32) -> u32 {
        self.add_multiple(a, b, self.p - 1)
    }

    /// Their product.
    pub fn multiply(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.power(self.logs[a as usize] + self.logs[b as usize])
    }

    /// A power of the primitive element.
    pub fn power(&self, exponent: u32) -> u32 {
        self.powers[(exponent % (self.q - 1)) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_laws_of_a_field_hold() {
        for q in [3, 4, 5, 8, 9, 16, 25, 27] {
            let field = Field::new(q).unwrap();
            for a in 0..q {
                assert_eq!(field.subtract(a, a), 0);
                assert_eq!((field.add(a, 0), field.multiply(a, 1)), (a, a));
                let inverses = (0..q).filter(|&b| field.multiply(a, b) == 1).count();
                assert_eq!(inverses, usize::from(a != 0), "{a} in GF({q})");
                for b in 0..q {
                    assert_eq!(field.add(a, b), field.add(b, a));
                    assert_eq!(field.multiply(a, b), field.multiply(b, a));
                    assert_eq!(field.subtract(field.add(a, b), b), a);
                    for c in 0..q {
                        let [ab, ac] = [b, c].map(|other| field.multiply(a, other));
                        assert_eq!(field.multiply(a, field.add(b, c)), field.add(ab, ac));
                        let bc = field.multiply(b, c);
                        assert_eq!(field.multiply(ab, c), field.multiply(a, bc));
                    }
                }
            }
        }
    }

    /// GF(p) are the residues modulo p. In GF(4), and in GF(9), x² = x + 1.
    #[test]
    fn elements_are_numbers_of_digits() {
        let field = Field::new(7).unwrap();
        assert_eq!((field.power(1), field.multiply(5, 6), field.subtract(2, 5)), (3, 2, 4));
        let field = Field::new(4).unwrap();
        assert_eq!((field.power(1), field.multiply(2, 2), field.multiply(2, 3)), (2, 3, 1));
        let field = Field::new(9).unwrap();
        assert_eq!((field.power(1), field.power(2), field.add(4, 8)), (3, 4, 0));
    }

    #[test]
    fn only_powers_of_primes_have_one() {
        let orders: Vec<u32> = (3..33).filter(|&q| Field::new(q).is_some()).collect();
        assert_eq!(orders, [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]);
        assert!((3..=1024).rev().find_map(Field::new).is_some_and(|field| field.q == 1024));
    }
}
