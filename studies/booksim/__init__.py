"""Configurations of BookSim2 run through the importer, beside what BookSim2 measured."""
