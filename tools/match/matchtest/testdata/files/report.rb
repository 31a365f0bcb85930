# frozen_string_literal: true

require 'csv'
require 'date'
require 'optparse'

module Reports
  # Sums up working hours per person and project.
  class Timesheet
    HOURS_PER_DAY = 8
    HEADERS = %w[person project date hours].freeze

    Entry = Struct.new(:person, :project, :date, :hours, keyword_init: true)

    attr_reader :entries, :warnings

    def initialize
      @entries = []
      @warnings = []
    end

    def load(path)
      CSV.foreach(path, headers: true) do |row|
        unless (HEADERS - row.headers).empty?
          raise ArgumentError, "missing columns in #{path}"
        end
        entries << Entry.new(
          person: row['person'].strip,
          project: row['project'].strip,
          date: Date.parse(row['date']),
          hours: Float(row['hours'])
        )
      end
      self
    end

    def by_person(month: nil)
      totals = Hash.new(0)
      entries.each do |entry|
        next if month && entry.date.month != month
        totals[entry.person] += entry.hours
      end
      totals.sort_by { |name, _hours| name }.to_h
    end

    def by_project(month: nil)
      totals = Hash.new(0)
      entries.each do |entry|
        next if month && entry.date.month != month
        totals[entry.project] += entry.hours
      end
      totals.sort_by { |name, _hours| name }.to_h
    end

    def overtime(person)
      days = entries.select { |entry| entry.person == person }.group_by(&:date)
      days.sum do |date, lines|
        worked = lines.sum(&:hours)
        @warnings << "#{person} worked on #{date}" if date.sunday?
        [worked - HOURS_PER_DAY, 0].max
      end
    end

    def to_s
      lines = by_person.map do |name, hours|
        format('%-20s %8.2f', name, hours)
      end
      lines.join("\n")
    end
  end
end
