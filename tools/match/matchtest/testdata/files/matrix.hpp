#pragma once

#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace algebra {

template <typename T>
class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns, T value = T{})
      : rows_(rows), columns_(columns), cells_(rows * columns, value) {}

  Matrix(std::initializer_list<std::initializer_list<T>> lines)
      : rows_(lines.size()), columns_(lines.begin()->size()) {
    for (const auto& line : lines) {
      if (line.size() != columns_) {
        throw std::invalid_argument("lines of different length");
      }
      cells_.insert(cells_.end(), line.begin(), line.end());
    }
  }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  T& operator()(std::size_t row, std::size_t column) {
    assert(row < rows_ && column < columns_);
    return cells_[row * columns_ + column];
  }

  const T& operator()(std::size_t row, std::size_t column) const {
    assert(row < rows_ && column < columns_);
    return cells_[row * columns_ + column];
  }

  Matrix operator+(const Matrix& other) const {
    requireSameShape(other);
    Matrix result(rows_, columns_);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      result.cells_[i] = cells_[i] + other.cells_[i];
    }
    return result;
  }

  Matrix operator-(const Matrix& other) const {
    requireSameShape(other);
    Matrix result(rows_, columns_);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      result.cells_[i] = cells_[i] - other.cells_[i];
    }
    return result;
  }

  Matrix operator*(const Matrix& other) const {
    if (columns_ != other.rows_) {
      throw std::invalid_argument("shapes do not fit");
    }
    Matrix result(rows_, other.columns_);
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < other.columns_; ++j) {
        T sum{};
        for (std::size_t k = 0; k < columns_; ++k) {
          sum += (*this)(i, k) * other(k, j);
        }
        result(i, j) = sum;
      }
    }
    return result;
  }

  Matrix transposed() const {
    Matrix result(columns_, rows_);
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        result(j, i) = (*this)(i, j);
      }
    }
    return result;
  }

 private:
  void requireSameShape(const Matrix& other) const {
    if (rows_ != other.rows_ || columns_ != other.columns_) {
      throw std::invalid_argument("shapes differ");
    }
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<T> cells_;
};

}  // namespace algebra
