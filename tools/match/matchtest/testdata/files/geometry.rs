use std::fmt;
use std::ops::{Add, Mul, Sub};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Add for Point {
    type Output = Point;

    fn add(self, other: Point) -> Point {
        Point { x: self.x + other.x, y: self.y + other.y }
    }
}

impl Sub for Point {
    type Output = Point;

    fn sub(self, other: Point) -> Point {
        Point { x: self.x - other.x, y: self.y - other.y }
    }
}

impl Mul<f64> for Point {
    type Output = Point;

    fn mul(self, factor: f64) -> Point {
        Point { x: self.x * factor, y: self.y * factor }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({:.2}, {:.2})", self.x, self.y)
    }
}

#[derive(Debug, Clone)]
pub enum Shape {
    Circle { center: Point, radius: f64 },
    Rectangle { corner: Point, width: f64, height: f64 },
    Polygon(Vec<Point>),
}

#[derive(Debug, PartialEq)]
pub enum ShapeError {
    NegativeLength(f64),
    TooFewPoints(usize),
}

impl Shape {
    pub fn circle(center: Point, radius: f64) -> Result<Self, ShapeError> {
        if radius < 0.0 {
            return Err(ShapeError::NegativeLength(radius));
        }
        Ok(Shape::Circle { center, radius })
    }

    pub fn polygon(points: Vec<Point>) -> Result<Self, ShapeError> {
        if points.len() < 3 {
            return Err(ShapeError::TooFewPoints(points.len()));
        }
        Ok(Shape::Polygon(points))
    }

    pub fn area(&self) -> f64 {
        match self {
            Shape::Circle { radius, .. } => std::f64::consts::PI * radius * radius,
            Shape::Rectangle { width, height, .. } => width * height,
            Shape::Polygon(points) => {
                let mut doubled = 0.0;
                for (i, a) in points.iter().enumerate() {
                    let b = &points[(i + 1) % points.len()];
                    doubled += a.x * b.y - b.x * a.y;
                }
                doubled.abs() / 2.0
            }
        }
    }

    pub fn perimeter(&self) -> f64 {
        match self {
            Shape::Circle { radius, .. } => 2.0 * std::f64::consts::PI * radius,
            Shape::Rectangle { width, height, .. } => 2.0 * (width + height),
            Shape::Polygon(points) => {
                let mut total = 0.0;
                for (i, a) in points.iter().enumerate() {
                    let b = &points[(i + 1) % points.len()];
                    let side = *b - *a;
                    total += side.x.hypot(side.y);
                }
                total
            }
        }
    }
}
